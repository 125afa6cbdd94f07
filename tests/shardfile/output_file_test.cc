#include "parity/shardfile/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "scratch.h"

namespace parity::shardfile {
namespace {

using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;
using Files = std::vector<std::unique_ptr<OutputFile>>;

std::unique_ptr<OutputFile> Create(const std::string& path, mode_t mode, Existing existing) {
  absl::StatusOr<std::unique_ptr<OutputFile>> file = OutputFile::Create(path, mode, existing);
  EXPECT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE((*file)->WriteAt(0, Bytes{1, 2, 3}).ok());
  return *std::move(file);
}

TEST(OutputFile, AppearsWhenItIsCommitted) {
  const Scratch scratch;
  Files files;
  files.push_back(Create(scratch / "a", 0644, Existing::kRefuse));
  files.push_back(Create(scratch / "b", 0644, Existing::kRefuse));
  EXPECT_FALSE(std::filesystem::exists(scratch / "a"));
  ASSERT_TRUE(OutputFile::Commit(files, {}).ok());
  files.clear();
  EXPECT_THAT(scratch.Contents(),
              UnorderedElementsAre(Pair("a", Bytes{1, 2, 3}), Pair("b", Bytes{1, 2, 3})));
}

TEST(OutputFile, LeavesNothingUnlessItIsCommitted) {
  const Scratch scratch;
  Create(scratch / "a", 0644, Existing::kRefuse).reset();
  EXPECT_THAT(scratch.Contents(), IsEmpty());
}

TEST(OutputFile, RefusesAnExistingFileAtOnce) {
  const Scratch scratch;
  WriteFile(scratch / "a", {9});
  EXPECT_EQ(OutputFile::Create(scratch / "a", 0644, Existing::kRefuse).status().code(),
            absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(scratch.Contents(), UnorderedElementsAre(Pair("a", Bytes{9})));
}

TEST(OutputFile, RefusesAFileThatHasComeToExist) {
  const Scratch scratch;
  {
    Files files;
    files.push_back(Create(scratch / "a", 0644, Existing::kRefuse));
    WriteFile(scratch / "a", {9});
    EXPECT_EQ(OutputFile::Commit(files, {}).code(), absl::StatusCode::kAlreadyExists);
  }
  EXPECT_THAT(scratch.Contents(), UnorderedElementsAre(Pair("a", Bytes{9})));
}

TEST(OutputFile, ReplacesOnlyWhenItIsCommitted) {
  const Scratch scratch;
  WriteFile(scratch / "a", {9});
  Create(scratch / "a", 0644, Existing::kReplace).reset();
  EXPECT_EQ(ReadFile(scratch / "a"), Bytes{9});
  Files files;
  files.push_back(Create(scratch / "a", 0644, Existing::kReplace));
  ASSERT_TRUE(OutputFile::Commit(files, {}).ok());
  EXPECT_EQ(ReadFile(scratch / "a"), (Bytes{1, 2, 3}));
}

TEST(OutputFile, ReplacesRegularFilesOnly) {
  const Scratch scratch;
  ASSERT_TRUE(std::filesystem::create_directory(scratch / "directory"));
  std::filesystem::create_symlink("/dev/null", scratch / "device");
  for (const std::string& path : {scratch / "directory", scratch / "device"}) {
    const absl::Status status = OutputFile::Create(path, 0644, Existing::kReplace).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << path;
    EXPECT_EQ(status.message(), path + ": exists and is not a regular file");
  }
}

TEST(OutputFile, CanBeCancelledUntilItAppears) {
  const Scratch scratch;
  client::Cancellation cancellation;
  cancellation.Cancel();
  RunOptions run;
  run.cancellation = &cancellation;
  {
    Files files;
    files.push_back(Create(scratch / "a", 0644, Existing::kRefuse));
    EXPECT_EQ(OutputFile::Commit(files, run).code(), absl::StatusCode::kCancelled);
  }
  EXPECT_THAT(scratch.Contents(), IsEmpty());
}

TEST(OutputFile, IsNoMoreReadableThanAsked) {
  const Scratch scratch;
  const mode_t umask_before = umask(0022);
  const auto mode_of = [&](mode_t asked) {
    Files files;
    files.push_back(Create(scratch / "a", asked, Existing::kReplace));
    EXPECT_TRUE(OutputFile::Commit(files, {}).ok());
    struct stat status;
    EXPECT_EQ(stat((scratch / "a").c_str(), &status), 0);
    return status.st_mode & 07777;
  };
  EXPECT_EQ(mode_of(0600), 0600u);
  EXPECT_EQ(mode_of(0666), 0644u);
  EXPECT_EQ(mode_of(04755), 0644u);
  EXPECT_EQ(mode_of(0440), 0640u);
  umask(umask_before);
}

TEST(OutputFile, NeedsItsDirectory) {
  const Scratch scratch;
  EXPECT_EQ(OutputFile::Create(scratch / "no/a", 0644, Existing::kRefuse).status().code(),
            absl::StatusCode::kNotFound);
}

TEST(OutputDirectory, StaysIfThereIsAFileInIt) {
  const Scratch scratch;
  {
    const absl::StatusOr<OutputDirectory> directory = OutputDirectory::Open(scratch / "d");
    ASSERT_TRUE(directory.ok()) << directory.status();
    Files files;
    files.push_back(Create(scratch / "d/a", 0644, Existing::kRefuse));
    ASSERT_TRUE(OutputFile::Commit(files, {}).ok());
  }
  EXPECT_EQ(ReadFile(scratch / "d/a"), (Bytes{1, 2, 3}));
}

TEST(OutputDirectory, IsRemovedIfItWasMadeForNothing) {
  const Scratch scratch;
  {
    const absl::StatusOr<OutputDirectory> directory = OutputDirectory::Open(scratch / "d");
    ASSERT_TRUE(directory.ok()) << directory.status();
    Create(scratch / "d/a", 0644, Existing::kRefuse).reset();
    EXPECT_TRUE(std::filesystem::exists(scratch / "d"));
  }
  EXPECT_FALSE(std::filesystem::exists(scratch / "d"));
  std::filesystem::create_directory(scratch / "d");
  EXPECT_TRUE(OutputDirectory::Open(scratch / "d").ok());
  EXPECT_TRUE(std::filesystem::exists(scratch / "d")) << "it was there before";
}

TEST(OutputDirectory, CannotBeMadeWithoutParentOrInPlaceOfAFile) {
  const Scratch scratch;
  EXPECT_EQ(OutputDirectory::Open(scratch / "no/d").status().code(), absl::StatusCode::kNotFound);
  WriteFile(scratch / "a", {9});
  EXPECT_EQ(OutputDirectory::Open(scratch / "a").status().code(), absl::StatusCode::kAlreadyExists);
}

TEST(DirectoryOf, IsWhereTheFileIs) {
  EXPECT_EQ(DirectoryOf("a"), ".");
  EXPECT_EQ(DirectoryOf("/a"), "/");
  EXPECT_EQ(DirectoryOf("b/c/a"), "b/c");
}

}  // namespace
}  // namespace parity::shardfile
