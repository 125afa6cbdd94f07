#include "parity/shardfile/shard_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "scratch.h"

namespace parity::shardfile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The shards of 2+1 XOR of two full stripes and cells of 1,100 bytes: of 4, 4 and 3 blocks.
class ShardReaderTest : public testing::Test {
 protected:
  static constexpr uint64_t kObjectBytes = kTestCellBytes * 2 * 2 + 2200;

  ShardReader Open() {
    absl::StatusOr<ShardReader> reader = ShardReader::Open(path_);
    EXPECT_TRUE(reader.ok()) << reader.status();
    return *std::move(reader);
  }

  const Scratch scratch_;
  const EncodedObject object_ =
      EncodeNoise(scratch_, MakeGeometry(codec::Code::kXor, 2, 1), kObjectBytes);
  const Layout layout_ = object_.layout;
  const std::string path_ = object_.paths[1];
};

TEST_F(ShardReaderTest, ReadsCells) {
  const ShardReader reader = Open();
  EXPECT_EQ(reader.header().index, 1u);
  EXPECT_EQ(reader.file_bytes(), layout_.file_bytes());
  const Bytes object = ReadFile(scratch_ / "object");
  for (uint64_t stripe = 0; stripe < 3; ++stripe) {
    Bytes cell(layout_.cell_bytes(stripe));
    const CellState state = reader.ReadCell(stripe, cell.data());
    EXPECT_TRUE(state.complete);
    EXPECT_THAT(state.bad_blocks, IsEmpty());
    const auto begin = object.begin() + static_cast<int64_t>(layout_.object_offset(stripe)) +
                       layout_.cell_bytes(stripe);
    EXPECT_EQ(cell, Bytes(begin, begin + layout_.cell_bytes(stripe))) << stripe;
  }
}

TEST_F(ShardReaderTest, FindsEveryDamagedByte) {
  const uint64_t begin = layout_.record_offset(2);
  const uint64_t checksums = layout_.checksum_offset(2);
  for (uint64_t offset = begin; offset < layout_.file_bytes(); ++offset) {
    FlipBit(path_, offset);
    Bytes cell(layout_.cell_bytes(2));
    const CellState state = Open().ReadCell(2, cell.data());
    const uint64_t block = offset < checksums ? (offset - begin) / kTestBlockBytes
                                              : (offset - checksums) / kChecksumBytes;
    EXPECT_TRUE(state.complete);
    EXPECT_THAT(state.bad_blocks, ElementsAre(block)) << offset;
    FlipBit(path_, offset);
  }
}

TEST_F(ShardReaderTest, LosesOnlyWhatIsCutOff) {
  struct Cut {
    uint64_t file_bytes;
    bool complete;
    std::vector<uint32_t> bad_blocks;  // of the last cell
  };
  const uint64_t begin = layout_.record_offset(2);
  const uint64_t checksums = layout_.checksum_offset(2);
  for (const Cut& cut : {Cut{layout_.file_bytes() - 1, true, {2}},
                         Cut{layout_.file_bytes() - kChecksumBytes - 1, true, {1, 2}},
                         Cut{checksums, true, {0, 1, 2}}, Cut{checksums - 1, false, {0, 1, 2}},
                         Cut{begin, false, {0, 1, 2}}, Cut{kHeaderBytes, false, {0, 1, 2}}}) {
    std::filesystem::resize_file(path_, cut.file_bytes);
    const ShardReader reader = Open();
    EXPECT_EQ(reader.file_bytes(), cut.file_bytes);
    Bytes cell(kTestCellBytes);
    const CellState last = reader.ReadCell(2, cell.data());
    EXPECT_EQ(last.complete, cut.complete) << cut.file_bytes;
    EXPECT_EQ(last.bad_blocks, cut.bad_blocks) << cut.file_bytes;
    const bool has_first = cut.file_bytes >= layout_.record_offset(1);
    EXPECT_EQ(reader.ReadCell(0, cell.data()).bad_blocks.empty(), has_first) << cut.file_bytes;
  }
}

TEST_F(ShardReaderTest, NamesTheFileOfABadHeader) {
  FlipBit(path_, 70);
  const absl::Status damaged = ShardReader::Open(path_).status();
  EXPECT_EQ(damaged.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(damaged.message(), HasSubstr(path_ + ": header_checksum: got 0x"));

  WriteFile(path_, {});
  const absl::Status empty = ShardReader::Open(path_).status();
  EXPECT_EQ(empty.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(empty.message(), HasSubstr(path_ + ": header: got 0 bytes, want 128 bytes"));
}

}  // namespace
}  // namespace parity::shardfile
