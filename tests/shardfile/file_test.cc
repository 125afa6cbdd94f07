#include "parity/shardfile/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "scratch.h"

namespace parity::shardfile {
namespace {

using ::testing::HasSubstr;

TEST(File, ReadsAndWritesAtOffsets) {
  const Scratch scratch;
  const absl::StatusOr<File> file = File::CreateNew(scratch / "file", 0600);
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_TRUE(file->WriteAt(2, Bytes{3, 4}).ok());
  ASSERT_TRUE(file->WriteAt(0, Bytes{1, 2}).ok());
  Bytes bytes(3);
  ASSERT_TRUE(file->ReadAt(1, absl::MakeSpan(bytes)).ok());
  EXPECT_EQ(bytes, (Bytes{2, 3, 4}));
}

TEST(File, EndingEarlyIsDataLoss) {
  const Scratch scratch;
  WriteFile(scratch / "file", {1, 2, 3});
  const absl::StatusOr<File> file = File::OpenForReading(scratch / "file");
  ASSERT_TRUE(file.ok()) << file.status();
  Bytes bytes(3);
  const absl::Status status = file->ReadAt(1, absl::MakeSpan(bytes));
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("ends at 3, want 1 bytes more"));
}

TEST(File, ErrorsNameThePath) {
  const Scratch scratch;
  const absl::Status missing = File::OpenForReading(scratch / "nothing").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(missing.message(), scratch / "nothing" + ": open: No such file or directory");

  WriteFile(scratch / "file", {1});
  const absl::Status existing = File::CreateNew(scratch / "file", 0600).status();
  EXPECT_EQ(existing.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(existing.message(), HasSubstr(scratch / "file"));
  EXPECT_EQ(ReadFile(scratch / "file"), Bytes{1});
}

// In particular, opening a FIFO must not wait for somebody to write to it.
TEST(File, MustBeARegularOne) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch / "directory");
  ASSERT_EQ(mkfifo((scratch / "fifo").c_str(), 0600), 0);
  for (const std::string& path :
       {scratch / "directory", scratch / "fifo", std::string("/dev/zero")}) {
    const absl::Status status = File::OpenForReading(path).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << path;
    EXPECT_EQ(status.message(), path + ": not a regular file");
  }
}

}  // namespace
}  // namespace parity::shardfile
