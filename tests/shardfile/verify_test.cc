#include "parity/shardfile/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <future>

#include "parity/shardfile/header.h"
#include "scratch.h"

namespace parity::shardfile {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Kind = Damage::Kind;

class VerifyTest : public testing::Test {
 protected:
  static constexpr uint64_t kStripes = 5;

  SetReport Verify() {
    absl::StatusOr<SetReport> report = VerifySet(LocalCoder(), FindSet(scratch_), {});
    EXPECT_TRUE(report.ok()) << report.status();
    return *std::move(report);
  }

  // The file offset of a byte of a shard.
  uint64_t FileOffset(uint64_t shard_offset) const {
    return layout_.record_offset(shard_offset / kTestCellBytes) + shard_offset % kTestCellBytes;
  }

  const Scratch scratch_;
  const EncodedObject object_ = EncodeNoise(scratch_, MakeGeometry(codec::Code::kReedSolomon, 4, 2),
                                            kStripes * 4 * kTestCellBytes);
  const Layout layout_ = object_.layout;
};

TEST_F(VerifyTest, FindsNothingWrongWithGoodShards) {
  const SetReport report = Verify();
  EXPECT_TRUE(report.consistent());
  EXPECT_TRUE(report.damaged.none());
}

TEST_F(VerifyTest, NamesShardBlockAndByteOfAFlippedBit) {
  constexpr uint64_t kWrong = 2 * kTestCellBytes + 3 * kTestBlockBytes + 77;
  for (uint32_t shard : {0u, 3u, 5u}) {
    FlipBit(object_.paths[shard], FileOffset(kWrong));
    const SetReport report = Verify();
    ASSERT_THAT(report.damages, SizeIs(1));
    const Damage& damage = report.damages[0];
    EXPECT_EQ(damage.kind, Kind::kBlocks);
    EXPECT_EQ(damage.shard, shard);
    EXPECT_EQ(damage.path, object_.paths[shard]);
    EXPECT_EQ(damage.first_block, 11u);
    EXPECT_EQ(damage.blocks, 1u);
    EXPECT_EQ(damage.shard_offset, 11u * kTestBlockBytes);
    EXPECT_EQ(damage.file_offset, FileOffset(11 * kTestBlockBytes));
    EXPECT_EQ(damage.bytes, kTestBlockBytes);
    EXPECT_EQ(damage.wrong_byte, kWrong);
    EXPECT_EQ(damage.ToString(),
              "shard " + std::to_string(shard) + ": " + object_.paths[shard] +
                  ": block 11 does not match the checksum: shard offset 5632, 512 bytes, file "
                  "offset 5792; wrong byte at shard offset 5709");
    EXPECT_EQ(report.damaged.to_ulong(), 1u << shard);
    FlipBit(object_.paths[shard], FileOffset(kWrong));
  }
}

TEST_F(VerifyTest, TellsADamagedChecksumFromADamagedByte) {
  FlipBit(object_.paths[1], layout_.checksum_offset(0));
  const SetReport report = Verify();
  ASSERT_THAT(report.damages, SizeIs(1));
  EXPECT_EQ(report.damages[0].kind, Kind::kBlocks);
  EXPECT_FALSE(report.damages[0].wrong_byte.has_value());
}

TEST_F(VerifyTest, JoinsAdjacentBlocksAcrossStripes) {
  for (uint64_t block = 3; block < 13; ++block) {
    FlipBit(object_.paths[2], FileOffset(block * kTestBlockBytes));
  }
  FlipBit(object_.paths[2], FileOffset(14 * kTestBlockBytes));
  const SetReport report = Verify();
  ASSERT_THAT(report.damages, SizeIs(2));
  EXPECT_EQ(report.damages[0].first_block, 3u);
  EXPECT_EQ(report.damages[0].blocks, 10u);
  EXPECT_EQ(report.damages[0].bytes, 10u * kTestBlockBytes);
  EXPECT_EQ(report.damages[0].wrong_byte, 3u * kTestBlockBytes);
  EXPECT_THAT(report.damages[0].ToString(), HasSubstr("blocks 3 to 12 do not match"));
  EXPECT_EQ(report.damages[1].first_block, 14u);
}

TEST_F(VerifyTest, JoinsBlocksInWhateverOrderStripesAreDone) {
  for (uint64_t block = 0; block < kStripes * 4; ++block) {
    FlipBit(object_.paths[5], FileOffset(block * kTestBlockBytes));
  }
  // Stripe 1 is held up until stripe 2 is done, as stripe 3 proves.
  const Bytes object = ReadFile(scratch_ / "object");
  const auto is_stripe = [&](client::ShardBytes first, uint64_t stripe) {
    return first[0] == object[layout_.object_offset(stripe)] &&
           first[1] == object[layout_.object_offset(stripe) + 1];
  };
  std::promise<void> third;
  const std::shared_future<void> released = third.get_future().share();
  StubCoder coder;
  coder.on_verify = [&](client::ShardBytes first) {
    if (is_stripe(first, 3)) third.set_value();
    if (is_stripe(first, 1)) released.wait_for(std::chrono::seconds(60));
    return absl::OkStatus();
  };
  RunOptions run;
  run.stripes_in_flight = 2;
  const absl::StatusOr<SetReport> report = VerifySet(coder, FindSet(scratch_), run);
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_THAT(report->damages, SizeIs(1));
  EXPECT_EQ(report->damages[0].first_block, 0u);
  EXPECT_EQ(report->damages[0].blocks, kStripes * 4);
  EXPECT_EQ(report->damages[0].bytes, layout_.shard_bytes());
}

TEST_F(VerifyTest, ReportsFilesAsAWhole) {
  fs::remove(object_.paths[0]);
  FlipBit(object_.paths[1], 3);
  fs::resize_file(object_.paths[4], layout_.file_bytes() + 1);
  const SetReport report = Verify();
  ASSERT_THAT(report.damages, SizeIs(3));
  EXPECT_EQ(report.damages[0].kind, Kind::kMissing);
  EXPECT_THAT(report.damages[0].ToString(),
              HasSubstr("shard 0: " + object_.paths[0] + ": missing"));
  EXPECT_EQ(report.damages[1].kind, Kind::kHeader);
  EXPECT_THAT(report.damages[1].ToString(), HasSubstr("shard 1: " + object_.paths[1] + ": magic"));
  EXPECT_EQ(report.damages[2].kind, Kind::kLength);
  EXPECT_EQ(report.damages[2].ToString(),
            "shard 4: " + object_.paths[4] + ": length: got 10449 bytes, want 10448");
  EXPECT_EQ(report.damaged.to_ulong(), 0b010011u);
}

TEST_F(VerifyTest, ReportsWhatACutOffFileHasLost) {
  fs::resize_file(object_.paths[3], FileOffset(3 * kTestCellBytes));
  const SetReport report = Verify();
  ASSERT_THAT(report.damages, SizeIs(2));
  EXPECT_EQ(report.damages[0].kind, Kind::kLength);
  EXPECT_EQ(report.damages[1].kind, Kind::kBlocks);
  EXPECT_EQ(report.damages[1].first_block, 12u);
  EXPECT_EQ(report.damages[1].blocks, 8u);
  EXPECT_EQ(report.damages[1].bytes, 2u * kTestCellBytes);
}

// A header is all there is of an object that would take years to read.
TEST(VerifySet, DoesNotSearchBeyondTheFiles) {
  const Scratch scratch;
  const absl::StatusOr<ObjectId> id = ObjectId::Random();
  ASSERT_TRUE(id.ok());
  const Layout layout =
      MakeLayout(MakeGeometry(codec::Code::kXor, 1, 1), 512, 512, kMaxObjectBytes);
  const auto header = EncodeHeader({*id, layout, 0});
  WriteFile(scratch / "huge.000.shard", Bytes(header.begin(), header.end()));
  const absl::StatusOr<SetReport> report = VerifySet(LocalCoder(), FindSet(scratch), {});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->damages[0].kind, Kind::kLength);
  EXPECT_EQ(report->damaged.to_ulong(), 0b11u);
}

TEST_F(VerifyTest, SuspectsAShardThatIsWrongInSpiteOfItsChecksums) {
  constexpr uint64_t kWrong = 3 * kTestCellBytes + 1000;
  Forge(object_.paths[2], layout_, kWrong);
  const SetReport report = Verify();
  ASSERT_THAT(report.damages, SizeIs(1));
  EXPECT_EQ(report.damages[0].kind, Kind::kParity);
  EXPECT_EQ(report.damages[0].shard, 2u);
  EXPECT_EQ(report.damages[0].path, object_.paths[2]);
  EXPECT_EQ(report.damages[0].shard_offset, kWrong);
  EXPECT_THAT(report.damages[0].ToString(), HasSubstr("suspect: shard 2"));
  EXPECT_EQ(report.parity_mismatches, 1u);
  EXPECT_TRUE(report.damaged.none());
}

TEST_F(VerifyTest, SuspectsNobodyWhereTwoShardsAreWrong) {
  Forge(object_.paths[0], layout_, 10);
  Forge(object_.paths[1], layout_, 10);
  const SetReport report = Verify();
  ASSERT_THAT(report.damages, SizeIs(1));
  EXPECT_EQ(report.damages[0].kind, Kind::kParity);
  EXPECT_FALSE(report.damages[0].shard.has_value());
  EXPECT_THAT(report.damages[0].ToString(), HasSubstr("which shard is wrong cannot be told"));
}

TEST_F(VerifyTest, SeesAWrongShardBesideADamagedBlock) {
  Forge(object_.paths[0], layout_, 10);
  FlipBit(object_.paths[1], FileOffset(kTestBlockBytes));
  const SetReport report = Verify();
  ASSERT_THAT(report.damages, SizeIs(2));
  EXPECT_EQ(report.damages[0].kind, Kind::kBlocks);
  EXPECT_EQ(report.damages[1].kind, Kind::kParity);
  EXPECT_EQ(report.damages[1].shard, 0u);
}

TEST_F(VerifyTest, DoesNotBlameADamagedChecksumForAWrongShard) {
  Forge(object_.paths[0], layout_, 10);
  FlipBit(object_.paths[1], layout_.checksum_offset(0));
  const SetReport report = Verify();
  ASSERT_THAT(report.damages, SizeIs(2));
  EXPECT_EQ(report.damages[0].shard, 1u);
  EXPECT_FALSE(report.damages[0].wrong_byte.has_value());
  EXPECT_EQ(report.damages[1].kind, Kind::kParity);
  EXPECT_EQ(report.damages[1].shard, 0u);
}

TEST_F(VerifyTest, AnErrorOfTheCoderIsNotAFinding) {
  StubCoder coder;
  coder.on_verify = [](client::ShardBytes) { return absl::UnavailableError("gone"); };
  EXPECT_EQ(VerifySet(coder, FindSet(scratch_), {}).status(), absl::UnavailableError("gone"));
}

TEST_F(VerifyTest, CanBeCancelled) {
  client::Cancellation cancellation;
  StubCoder coder;
  coder.on_verify = [&](client::ShardBytes) {
    cancellation.Cancel();
    return absl::OkStatus();
  };
  RunOptions run;
  run.stripes_in_flight = 1;
  run.cancellation = &cancellation;
  EXPECT_EQ(VerifySet(coder, FindSet(scratch_), run).status().code(), absl::StatusCode::kCancelled);
}

TEST(SetReport, HasALimitAndCountsWhatIsBeyond) {
  const Scratch scratch;
  constexpr uint64_t kPlaces = SetReport::kMaxDamages + 10;
  // Every other block of shard 0 is damaged.
  const EncodedObject object =
      EncodeNoise(scratch, MakeGeometry(codec::Code::kXor, 1, 1), 2 * kPlaces * kTestBlockBytes);
  Bytes bytes = ReadFile(object.paths[0]);
  for (uint64_t place = 0; place < kPlaces; ++place) {
    const uint64_t block = 2 * place;
    bytes[object.layout.record_offset(block / 4) + block % 4 * kTestBlockBytes] ^= 1;
  }
  WriteFile(object.paths[0], bytes);
  const absl::StatusOr<SetReport> report = VerifySet(LocalCoder(), FindSet(scratch), {});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(report->damages, SizeIs(SetReport::kMaxDamages));
  EXPECT_EQ(report->damages_left_out, 10u);
  EXPECT_EQ(report->damaged.to_ulong(), 1u);
}

}  // namespace
}  // namespace parity::shardfile
