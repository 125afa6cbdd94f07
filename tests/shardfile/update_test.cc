#include "parity/shardfile/update.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "parity/codec/field_error.h"
#include "parity/shardfile/decode.h"
#include "parity/shardfile/repair.h"
#include "parity/shardfile/verify.h"
#include "scratch.h"

namespace parity::shardfile {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint64_t kStripeBytes = 4 * kTestCellBytes;

struct Shape {
  codec::Code code;
  uint32_t data_shards;
  uint32_t parity_shards;
};

class UpdateTest : public testing::TestWithParam<Shape> {
 protected:
  void Encode(uint64_t bytes) {
    const Shape shape = GetParam();
    encoded_.emplace(EncodeNoise(
        scratch_, MakeGeometry(shape.code, shape.data_shards, shape.parity_shards), bytes));
    object_ = ReadFile(scratch_ / "object");
  }

  absl::StatusOr<UpdatedObject> Update(const UpdatePlace& place, const Bytes& bytes,
                                       const RunOptions& run = {}) {
    const Scratch other;
    WriteFile(other / "new", bytes);
    const File source = File::OpenForReading(other / "new").value();
    return UpdateObject(LocalCoder(), FindSet(scratch_), place, source, run);
  }

  void ExpectRefused(const UpdatePlace& place, const Bytes& bytes, absl::StatusCode code,
                     const std::string& message) {
    const auto before = scratch_.Contents();
    const absl::Status status = Update(place, bytes).status();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(status.message(), HasSubstr(message));
    EXPECT_EQ(scratch_.Contents(), before);
  }

  // The shard files are those of an encoding of `object_`, but for the object's id.
  void ExpectEncoded() {
    const Scratch other;
    WriteFile(other / "object", object_);
    const EncodedObject anew =
        EncodeObject(LocalCoder(), encoded_->layout.geometry(), other / "object", TestOptions())
            .value();
    for (uint32_t shard = 0; shard < anew.paths.size(); ++shard) {
      Bytes want = ReadFile(anew.paths[shard]);
      Bytes got = ReadFile(encoded_->paths[shard]);
      want.erase(want.begin(), want.begin() + kHeaderBytes);
      got.erase(got.begin(), got.begin() + kHeaderBytes);
      EXPECT_EQ(got, want) << "shard " << shard;
    }
    EXPECT_TRUE(VerifySet(LocalCoder(), FindSet(scratch_), {}).value().consistent());
  }

  const Scratch scratch_;
  std::optional<EncodedObject> encoded_;
  Bytes object_;
};

TEST_P(UpdateTest, LeavesWhatEncodingAnewWouldWrite) {
  const uint64_t bytes = 3 * kStripeBytes + 1234;
  Encode(bytes);
  std::mt19937 random(7);
  for (uint32_t round = 0; round < 40; ++round) {
    const uint64_t offset = round == 0 ? 0 : random() % bytes;
    const uint64_t most = bytes - offset;
    const uint64_t count = round % 4 == 0 ? most : random() % std::min<uint64_t>(most + 1, 3000);
    const Bytes replacement = Noise(count, 100 + round);
    SCOPED_TRACE(testing::Message() << count << " bytes at " << offset);
    const absl::StatusOr<UpdatedObject> updated = Update({std::nullopt, offset}, replacement);
    ASSERT_TRUE(updated.ok()) << updated.status();
    EXPECT_EQ(updated->bytes, count);
    std::copy(replacement.begin(), replacement.end(),
              object_.begin() + static_cast<ptrdiff_t>(offset));
    ExpectEncoded();
  }
}

TEST_P(UpdateTest, ReplacesARangeOfADataShard) {
  Encode(3 * kStripeBytes + 1234);
  const Layout& layout = encoded_->layout;
  const uint32_t k = layout.geometry().data_shards();
  std::mt19937 random(8);
  for (uint32_t shard = 0; shard < k; ++shard) {
    const uint64_t all = BytesFrom(layout, {shard, 0}).value();
    for (uint32_t round = 0; round < 6; ++round) {
      const uint64_t offset = round == 0 ? 0 : random() % all;
      const Bytes replacement = Noise(round == 0 ? all : random() % (all - offset + 1), round);
      ASSERT_TRUE(Update({shard, offset}, replacement).ok());
      for (uint64_t i = 0; i < replacement.size(); ++i) {
        const uint64_t stripe = (offset + i) / kTestCellBytes;
        const uint64_t in_cell = (offset + i) % kTestCellBytes;
        object_.at(layout.object_offset(stripe) + shard * layout.cell_bytes(stripe) + in_cell) =
            replacement[i];
      }
    }
  }
  ExpectEncoded();
}

INSTANTIATE_TEST_SUITE_P(
    Codes, UpdateTest,
    testing::Values(Shape{codec::Code::kXor, 4, 1}, Shape{codec::Code::kRaid6, 4, 2},
                    Shape{codec::Code::kReedSolomon, 4, 2}, Shape{codec::Code::kReedSolomon, 1, 3}),
    [](const auto& shape) {
      return std::string(codec::NameOf(shape.param.code)) + std::to_string(shape.param.data_shards);
    });

class Rs4Plus2 : public UpdateTest {
 protected:
  Rs4Plus2() { Encode(3 * kStripeBytes + 1234); }
};
INSTANTIATE_TEST_SUITE_P(Rs, Rs4Plus2, testing::Values(Shape{codec::Code::kReedSolomon, 4, 2}));

TEST_P(Rs4Plus2, WritesOnlyTheBlocksItTouches) {
  const UpdatedObject updated = Update({std::nullopt, kTestCellBytes + 600}, {1, 2, 3}).value();
  EXPECT_EQ(updated.blocks, 3u);
  EXPECT_THAT(updated.shards, ElementsAre(1, 4, 5));
  EXPECT_EQ(Update({std::nullopt, kTestCellBytes - 1}, {1, 2}).value().blocks, 2 * 3u);
  EXPECT_EQ(Update({std::nullopt, 5}, {}).value().blocks, 0u);
}

// Damage elsewhere is none of its business.
TEST_P(Rs4Plus2, ReadsOnlyTheBlocksItTouches) {
  const Layout& layout = encoded_->layout;
  FlipBit(encoded_->paths[1], layout.record_offset(0) + 100);
  FlipBit(encoded_->paths[0], layout.record_offset(0) + kTestBlockBytes);
  FlipBit(encoded_->paths[4], layout.record_offset(1));
  EXPECT_TRUE(Update({std::nullopt, 0}, {1, 2, 3}).ok());
}

TEST_P(Rs4Plus2, RefusesDamagedBlocks) {
  const Layout& layout = encoded_->layout;
  FlipBit(encoded_->paths[1], layout.record_offset(1) + kTestBlockBytes + 7);
  ExpectRefused({1, kTestCellBytes + kTestBlockBytes}, {1}, absl::StatusCode::kDataLoss,
                "shard 1: " + encoded_->paths[1] + ": block 5 does not match the checksum");
  ASSERT_TRUE(RepairSet(LocalCoder(), FindSet(scratch_), {}).ok());
  FlipBit(encoded_->paths[5], layout.record_offset(1) + kTestBlockBytes + 7);
  ExpectRefused({1, kTestCellBytes + kTestBlockBytes}, {1}, absl::StatusCode::kDataLoss,
                "shard 5: " + encoded_->paths[5] + ": block 5 does not match the checksum");
}

TEST_P(Rs4Plus2, RefusesWithoutAllShards) {
  fs::resize_file(encoded_->paths[3], encoded_->layout.file_bytes() - 1);
  ExpectRefused({0, 0}, {1}, absl::StatusCode::kDataLoss, "shard 3: " + encoded_->paths[3]);
  fs::remove(encoded_->paths[4]);
  ExpectRefused({0, 0}, {1}, absl::StatusCode::kDataLoss, "missing; an update takes all shards");
}

TEST_P(Rs4Plus2, KeepsTheSize) {
  const uint64_t bytes = object_.size();
  const auto invalid = absl::StatusCode::kInvalidArgument;
  ExpectRefused({std::nullopt, bytes + 1}, {}, invalid, "offset: got");
  ExpectRefused({std::nullopt, bytes}, {1}, invalid, "source: got 1 bytes, want at most 0");
  ExpectRefused({std::nullopt, bytes - 5}, Bytes(6), invalid, "source: got 6 bytes");
  ExpectRefused({4, 0}, {1}, invalid, "data_shard: got 4");
  // 1234 bytes in cells of 309: the last has 307.
  const uint64_t last = 3 * kTestCellBytes + 307;
  ExpectRefused({3, last - 1}, {1, 2}, invalid, "source: got 2 bytes, want at most 1");
  EXPECT_TRUE(Update({std::nullopt, bytes}, {}).ok());
}

TEST_P(Rs4Plus2, ChangesNothingWhenItIsCancelled) {
  client::Cancellation cancellation;
  RunOptions run;
  run.cancellation = &cancellation;
  run.progress = [&](uint64_t, uint64_t) { cancellation.Cancel(); };
  const auto before = scratch_.Contents();
  EXPECT_TRUE(absl::IsCancelled(Update({std::nullopt, 0}, Noise(object_.size(), 9), run).status()));
  EXPECT_EQ(scratch_.Contents(), before);
}

TEST_P(Rs4Plus2, ExcludesReadersAndOtherUpdates) {
  const ShardReaders readers = FindSet(scratch_).Open().value();
  ExpectRefused({std::nullopt, 0}, {1}, absl::StatusCode::kAborted, "another process");
}

}  // namespace
}  // namespace parity::shardfile
