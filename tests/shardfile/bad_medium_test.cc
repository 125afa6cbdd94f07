// A disk that cannot read some of its sectors. This program's own pread takes the place of the C
// library's, so nothing else may be tested in it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>

#include "parity/shardfile/decode.h"
#include "parity/shardfile/repair.h"
#include "parity/shardfile/verify.h"
#include "scratch.h"

namespace {

// The file, and the bytes [begin, end) of it, that cannot be read.
std::atomic<ino_t> bad_inode{0};
std::atomic<uint64_t> bad_begin{0};
std::atomic<uint64_t> bad_end{0};

}  // namespace

extern "C" ssize_t pread(int descriptor, void* out, size_t bytes, off_t offset) {
  struct stat status;
  const auto begin = static_cast<uint64_t>(offset);
  if (bad_inode != 0 && fstat(descriptor, &status) == 0 && status.st_ino == bad_inode &&
      begin < bad_end && begin + bytes > bad_begin) {
    errno = EIO;
    return -1;
  }
  return syscall(SYS_pread64, descriptor, out, bytes, offset);
}

namespace parity::shardfile {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class BadMedium : public testing::Test {
 protected:
  ~BadMedium() override { bad_inode = 0; }

  void MakeBad(const std::string& path, uint64_t begin, uint64_t end) {
    struct stat status;
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    bad_begin = begin;
    bad_end = end;
    bad_inode = status.st_ino;
  }

  const Scratch scratch_;
  const EncodedObject object_ =
      EncodeNoise(scratch_, MakeGeometry(codec::Code::kReedSolomon, 4, 2), kTestCellBytes * 4 * 3);
  const Layout layout_ = object_.layout;
  const std::string path_ = object_.paths[1];
  const Bytes good_ = ReadFile(path_);
};

TEST_F(BadMedium, LosesOnlyTheBlocksItCannotRead) {
  const uint64_t block = layout_.record_offset(1) + 2 * kTestBlockBytes;
  MakeBad(path_, block + 10, block + 11);
  const absl::StatusOr<ShardReader> reader = ShardReader::Open(path_);
  ASSERT_TRUE(reader.ok()) << reader.status();
  Bytes cell(kTestCellBytes);
  const CellState state = reader->ReadCell(1, cell.data());
  EXPECT_FALSE(state.complete);
  EXPECT_THAT(state.bad_blocks, ElementsAre(2));
  for (uint64_t at : {uint64_t{0}, kTestBlockBytes, 3 * kTestBlockBytes}) {
    EXPECT_EQ(cell[at], good_[layout_.record_offset(1) + at]);
  }

  MakeBad(path_, layout_.checksum_offset(1), layout_.checksum_offset(1) + 5);
  const CellState checksums = reader->ReadCell(1, cell.data());
  EXPECT_TRUE(checksums.complete);
  EXPECT_THAT(checksums.bad_blocks, ElementsAre(0, 1));
}

TEST_F(BadMedium, IsReportedAndRepaired) {
  const uint64_t block = layout_.record_offset(1) + 2 * kTestBlockBytes;
  MakeBad(path_, block, block + 1);
  const ShardSet set = FindSet(scratch_);
  const absl::StatusOr<SetReport> report = VerifySet(LocalCoder(), set, {});
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_THAT(report->damages, SizeIs(1));
  EXPECT_EQ(report->damages[0].shard, 1u);
  EXPECT_EQ(report->damages[0].first_block, 6u);
  EXPECT_EQ(report->damages[0].blocks, 1u);

  const absl::StatusOr<DecodedObject> object =
      DecodeObject(LocalCoder(), set, scratch_ / "out", {});
  ASSERT_TRUE(object.ok()) << object.status();
  EXPECT_EQ(object->restored_stripes, 1u);
  EXPECT_EQ(ReadFile(scratch_ / "out"), ReadFile(scratch_ / "object"));

  // The new file is on good sectors.
  const absl::StatusOr<std::vector<RebuiltShard>> rebuilt = RepairSet(LocalCoder(), set, {});
  ASSERT_TRUE(rebuilt.ok()) << rebuilt.status();
  EXPECT_THAT(*rebuilt, SizeIs(1));
  EXPECT_EQ(ReadFile(path_), good_);
}

TEST_F(BadMedium, UnderTheHeaderLosesTheShardOnly) {
  MakeBad(path_, 100, 101);
  const ShardSet set = FindSet(scratch_);
  EXPECT_EQ(set.members[1].state, ShardSet::Member::State::kUnreadable);
  EXPECT_THAT(set.members[1].fault.message(), HasSubstr("read: Input/output error"));
  const absl::StatusOr<std::vector<RebuiltShard>> rebuilt = RepairSet(LocalCoder(), set, {});
  ASSERT_TRUE(rebuilt.ok()) << rebuilt.status();
  EXPECT_EQ(ReadFile(path_), good_);
}

TEST_F(BadMedium, UnderAnObjectEndsItsEncoding) {
  MakeBad(scratch_ / "object", 5000, 5001);
  EncodeOptions options = TestOptions();
  options.existing = Existing::kReplace;
  const auto before = scratch_.Contents();
  const absl::Status status =
      EncodeObject(LocalCoder(), layout_.geometry(), scratch_ / "object", options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnknown);
  EXPECT_THAT(status.message(), HasSubstr("object: read: Input/output error"));
  EXPECT_EQ(scratch_.Contents(), before);
}

}  // namespace
}  // namespace parity::shardfile
