// Objects survive: encoded, damaged, and restored or repaired, with every code and at every
// boundary.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "parity/shardfile/decode.h"
#include "parity/shardfile/repair.h"
#include "parity/shardfile/verify.h"
#include "scratch.h"

namespace parity::shardfile {
namespace {

namespace fs = std::filesystem;

struct Shape {
  codec::Code code;
  uint32_t k;
  uint32_t m;
  std::optional<codec::Matrix> matrix = std::nullopt;
};

void PrintTo(const Shape& shape, std::ostream* out) {
  *out << codec::NameOf(shape.code) << " " << shape.k << "+" << shape.m;
}

class RoundTrip : public testing::TestWithParam<Shape> {};

TEST_P(RoundTrip, RestoresEverySizeWithoutTheFirstShards) {
  const codec::Geometry geometry =
      MakeGeometry(GetParam().code, GetParam().k, GetParam().m, GetParam().matrix);
  const uint64_t k = GetParam().k;
  const uint64_t stripe = k * kTestCellBytes;
  for (uint64_t bytes : {uint64_t{0}, uint64_t{1}, k - 1, k, stripe - 1, stripe, stripe + 1,
                         3 * stripe + 1, 9 * stripe + k * kTestBlockBytes + 1}) {
    SCOPED_TRACE(std::to_string(bytes) + " bytes");
    const Scratch scratch;
    const EncodedObject object = EncodeNoise(scratch, geometry, bytes);
    const auto all = scratch.Contents();
    const absl::StatusOr<SetReport> report = VerifySet(LocalCoder(), FindSet(scratch), {});
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_TRUE(report->consistent());

    for (uint32_t shard = 0; shard < geometry.parity_shards(); ++shard) {
      fs::remove(object.paths[shard]);
    }
    const absl::StatusOr<DecodedObject> decoded =
        DecodeObject(LocalCoder(), FindSet(scratch), scratch / "out", {});
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(decoded->bytes, bytes);
    EXPECT_EQ(decoded->restored_stripes, object.layout.stripes());
    EXPECT_EQ(ReadFile(scratch / "out"), ReadFile(scratch / "object"));
    fs::remove(scratch / "out");

    const absl::StatusOr<std::vector<RebuiltShard>> rebuilt =
        RepairSet(LocalCoder(), FindSet(scratch), {});
    ASSERT_TRUE(rebuilt.ok()) << rebuilt.status();
    EXPECT_EQ(rebuilt->size(), geometry.parity_shards());
    EXPECT_EQ(scratch.Contents(), all);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , RoundTrip,
    testing::Values(Shape{codec::Code::kXor, 1, 1}, Shape{codec::Code::kXor, 5, 1},
                    Shape{codec::Code::kRaid6, 2, 2}, Shape{codec::Code::kRaid6, 7, 2},
                    Shape{codec::Code::kReedSolomon, 3, 1}, Shape{codec::Code::kReedSolomon, 4, 2},
                    Shape{codec::Code::kReedSolomon, 6, 5},
                    Shape{codec::Code::kReedSolomon, 4, 3, codec::Matrix::kVandermonde},
                    Shape{codec::Code::kReedSolomon, 4, 3, codec::Matrix::kSystematicVandermonde}),
    [](const auto& test) {
      const std::string matrix = !test.param.matrix ? ""
                                 : *test.param.matrix == codec::Matrix::kVandermonde
                                     ? "_Vandermonde"
                                     : "_SystematicVandermonde";
      return std::string(codec::NameOf(test.param.code)) + "_" + std::to_string(test.param.k) +
             "_" + std::to_string(test.param.m) + matrix;
    });

// Of ISA-L's matrix of 22+5, the factors of data shards 0, 10 and 21 in parity shards 22, 23 and 25
// cannot be inverted.
class VandermondeTest : public testing::Test {
 protected:
  void Lose(const std::vector<uint32_t>& shards) {
    for (const uint32_t shard : shards) fs::remove(object_.paths[shard]);
  }

  const Scratch scratch_;
  const EncodedObject object_ = EncodeNoise(
      scratch_, MakeGeometry(codec::Code::kReedSolomon, 22, 5, codec::Matrix::kVandermonde),
      22 * kTestCellBytes + 100);
};

TEST_F(VandermondeTest, UsesMoreThanKShardsWhereTheFirstDoNotSuffice) {
  const auto all = scratch_.Contents();
  Lose({0, 10, 21, 24});
  const absl::StatusOr<DecodedObject> decoded =
      DecodeObject(LocalCoder(), FindSet(scratch_), scratch_ / "out", {});
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(ReadFile(scratch_ / "out"), all.at("object"));
  fs::remove(scratch_ / "out");
  const absl::StatusOr<std::vector<RebuiltShard>> rebuilt =
      RepairSet(LocalCoder(), FindSet(scratch_), {});
  ASSERT_TRUE(rebuilt.ok()) << rebuilt.status();
  EXPECT_EQ(scratch_.Contents(), all);
}

TEST_F(VandermondeTest, NamesLossesThatItCannotBear) {
  Lose({0, 10, 21, 24, 26});
  const absl::Status status =
      DecodeObject(LocalCoder(), FindSet(scratch_), scratch_ / "out", {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(),
              testing::HasSubstr("5 of 27 shards are missing or damaged (0, 10, 21, 24, 26), which "
                                 "the vandermonde matrix cannot bear"));
}

class RestoreTest : public testing::Test {
 protected:
  static constexpr uint64_t kStripeBytes = 4 * kTestCellBytes;
  // Two full stripes and one of cells with 3 blocks.
  static constexpr uint64_t kObjectBytes = 2 * kStripeBytes + 4 * (2 * kTestBlockBytes + 100);

  absl::StatusOr<DecodedObject> Decode(client::Coder& coder) {
    return DecodeObject(coder, FindSet(scratch_), scratch_ / "out", {});
  }

  const Scratch scratch_;
  const codec::Geometry geometry_ = MakeGeometry(codec::Code::kReedSolomon, 4, 2);
  const EncodedObject object_ = EncodeNoise(scratch_, geometry_, kObjectBytes);
};

TEST_F(RestoreTest, EveryPatternOfUpToTwoLostShards) {
  const auto all = scratch_.Contents();
  for (uint32_t first = 0; first < 6; ++first) {
    for (uint32_t second = first; second < 6; ++second) {
      SCOPED_TRACE("without " + std::to_string(first) + " and " + std::to_string(second));
      fs::remove(object_.paths[first]);
      fs::remove(object_.paths[second]);
      const absl::StatusOr<DecodedObject> decoded = Decode(LocalCoder());
      ASSERT_TRUE(decoded.ok()) << decoded.status();
      EXPECT_EQ(decoded->restored_stripes, first < 4 ? 3u : 0u);
      EXPECT_EQ(ReadFile(scratch_ / "out"), all.at("object"));
      fs::remove(scratch_ / "out");
      ASSERT_TRUE(RepairSet(LocalCoder(), FindSet(scratch_), {}).ok());
      ASSERT_EQ(scratch_.Contents(), all);
    }
  }
}

TEST_F(RestoreTest, DamageInAllShardsThatDoesNotCoincide) {
  const auto all = scratch_.Contents();
  for (uint32_t shard = 0; shard < 6; ++shard) {
    // Two shards in each of the first three blocks of stripe 1.
    FlipBit(object_.paths[shard],
            object_.layout.record_offset(1) + (shard % 3) * kTestBlockBytes + 7);
  }
  const absl::StatusOr<DecodedObject> decoded = Decode(LocalCoder());
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->restored_stripes, 1u);
  EXPECT_EQ(ReadFile(scratch_ / "out"), all.at("object"));
  fs::remove(scratch_ / "out");

  const absl::StatusOr<std::vector<RebuiltShard>> rebuilt =
      RepairSet(LocalCoder(), FindSet(scratch_), {});
  ASSERT_TRUE(rebuilt.ok()) << rebuilt.status();
  EXPECT_EQ(rebuilt->size(), 6u);
  EXPECT_EQ(scratch_.Contents(), all);
}

TEST_F(RestoreTest, NamesThePlaceWhereTooMuchIsLost) {
  for (uint32_t shard : {0, 3, 4}) {
    FlipBit(object_.paths[shard], object_.layout.record_offset(2) + kTestBlockBytes);
  }
  const auto before = scratch_.Contents();
  const std::string place =
      "stripe 2, shard offset 4608, 512 bytes: 3 of 6 shards are missing or damaged (0, 3, 4), at "
      "most 2 can be";
  const absl::Status decoded = Decode(LocalCoder()).status();
  EXPECT_EQ(decoded.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(decoded.message(), place);
  const absl::Status repaired = RepairSet(LocalCoder(), FindSet(scratch_), {}).status();
  EXPECT_EQ(repaired.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(repaired.message(), place);
  EXPECT_EQ(scratch_.Contents(), before);
}

TEST_F(RestoreTest, TooMuchLostParityIsNoHarmToTheObject) {
  fs::remove(object_.paths[4]);
  fs::remove(object_.paths[5]);
  FlipBit(object_.paths[4 - 1], 20);  // its header
  EXPECT_EQ(Decode(LocalCoder()).status().code(), absl::StatusCode::kDataLoss);
  FlipBit(object_.paths[4 - 1], 20);
  EXPECT_TRUE(Decode(LocalCoder()).ok());
}

TEST_F(RestoreTest, ReadsNoMoreParityThanItNeeds) {
  fs::remove(object_.paths[1]);
  FlipBit(object_.paths[5], object_.layout.record_offset(0));
  StubCoder coder;
  int calls = 0;
  coder.on_reconstruct = [&] {
    ++calls;
    return absl::OkStatus();
  };
  const ShardSet set = FindSet(scratch_);
  DecodeOptions options;
  options.run.stripes_in_flight = 1;
  ASSERT_TRUE(DecodeObject(coder, set, scratch_ / "out", options).ok());
  EXPECT_EQ(calls, 3) << "a bad block of shard 5, which is not needed, split a stripe into runs";
}

TEST_F(RestoreTest, DoesNotReplaceAFileUnlessTold) {
  WriteFile(scratch_ / "out", {1, 2, 3});
  const ShardSet set = FindSet(scratch_);
  EXPECT_EQ(Decode(LocalCoder()).status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(ReadFile(scratch_ / "out"), (Bytes{1, 2, 3}));
  DecodeOptions options;
  options.existing = Existing::kReplace;
  ASSERT_TRUE(DecodeObject(LocalCoder(), set, scratch_ / "out", options).ok());
  EXPECT_EQ(ReadFile(scratch_ / "out"), ReadFile(scratch_ / "object"));
}

TEST_F(RestoreTest, ObjectIsNoMoreReadableThanItsShards) {
  ASSERT_EQ(chmod(object_.paths[2].c_str(), 0600), 0);
  ASSERT_TRUE(Decode(LocalCoder()).ok());
  struct stat status;
  ASSERT_EQ(stat((scratch_ / "out").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
}

TEST_F(RestoreTest, LeavesNothingWhenTheCoderFails) {
  fs::remove(object_.paths[0]);
  const auto before = scratch_.Contents();
  StubCoder coder;
  coder.on_reconstruct = [] { return absl::DeadlineExceededError("slow"); };
  EXPECT_EQ(Decode(coder).status(), absl::DeadlineExceededError("slow"));
  EXPECT_EQ(scratch_.Contents(), before);
}

TEST_F(RestoreTest, LeavesNothingWhenItIsCancelled) {
  const auto before = scratch_.Contents();
  client::Cancellation cancellation;
  cancellation.Cancel();
  DecodeOptions options;
  options.run.cancellation = &cancellation;
  EXPECT_EQ(
      DecodeObject(LocalCoder(), FindSet(scratch_), scratch_ / "out", options).status().code(),
      absl::StatusCode::kCancelled);
  EXPECT_EQ(scratch_.Contents(), before);
}

}  // namespace
}  // namespace parity::shardfile
