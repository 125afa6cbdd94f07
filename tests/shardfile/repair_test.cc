#include "parity/shardfile/repair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>

#include "scratch.h"

namespace parity::shardfile {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::SizeIs;

class RepairTest : public testing::Test {
 protected:
  absl::StatusOr<std::vector<RebuiltShard>> Repair(client::Coder& coder,
                                                   const RepairOptions& options = {}) {
    return RepairSet(coder, FindSet(scratch_), options);
  }

  // Nothing was written: no file is other than before, and none is new.
  void ExpectRefused(client::Coder& coder, absl::StatusCode code, const std::string& message) {
    const auto before = scratch_.Contents();
    const absl::Status status = Repair(coder).status();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(status.message(), HasSubstr(message));
    EXPECT_EQ(scratch_.Contents(), before);
  }

  const Scratch scratch_;
  const EncodedObject object_ = EncodeNoise(scratch_, MakeGeometry(codec::Code::kReedSolomon, 4, 2),
                                            kTestCellBytes * 4 * 20 + 1);
  const Layout layout_ = object_.layout;
  const std::map<std::string, Bytes> all_ = scratch_.Contents();
};

TEST_F(RepairTest, WritesNothingWhenNothingIsWrong) {
  const absl::StatusOr<std::vector<RebuiltShard>> rebuilt = Repair(LocalCoder());
  ASSERT_TRUE(rebuilt.ok()) << rebuilt.status();
  EXPECT_THAT(*rebuilt, IsEmpty());
}

TEST_F(RepairTest, WritesTheDamagedFilesAndNoOthers) {
  fs::remove(object_.paths[1]);
  FlipBit(object_.paths[3], layout_.record_offset(7) + 5);
  const auto inode = [](const std::string& path) {
    struct stat status;
    EXPECT_EQ(stat(path.c_str(), &status), 0);
    return status.st_ino;
  };
  std::vector<ino_t> before;
  for (uint32_t shard : {0, 2, 4, 5}) before.push_back(inode(object_.paths[shard]));
  const absl::StatusOr<std::vector<RebuiltShard>> rebuilt = Repair(LocalCoder());
  ASSERT_TRUE(rebuilt.ok()) << rebuilt.status();
  ASSERT_THAT(*rebuilt, SizeIs(2));
  EXPECT_EQ((*rebuilt)[0].index, 1u);
  EXPECT_EQ((*rebuilt)[0].path, object_.paths[1]);
  EXPECT_EQ((*rebuilt)[1].index, 3u);
  EXPECT_EQ((*rebuilt)[1].path, object_.paths[3]);
  EXPECT_EQ(scratch_.Contents(), all_);
  std::vector<ino_t> after;
  for (uint32_t shard : {0, 2, 4, 5}) after.push_back(inode(object_.paths[shard]));
  EXPECT_EQ(after, before);
}

TEST_F(RepairTest, MendsEveryKindOfFileDamage) {
  const uint64_t file_bytes = layout_.file_bytes();
  for (uint64_t bytes : {uint64_t{0}, uint64_t{127}, uint64_t{128}, layout_.record_offset(3) + 9,
                         file_bytes - 1, file_bytes + 1, file_bytes + 5000}) {
    SCOPED_TRACE("file of " + std::to_string(bytes) + " bytes");
    fs::resize_file(object_.paths[0], bytes);
    const absl::StatusOr<std::vector<RebuiltShard>> rebuilt = Repair(LocalCoder());
    ASSERT_TRUE(rebuilt.ok()) << rebuilt.status();
    EXPECT_THAT(*rebuilt, SizeIs(1));
    ASSERT_EQ(scratch_.Contents(), all_);
  }
  for (uint64_t offset : {uint64_t{0}, uint64_t{8}, uint64_t{127}, uint64_t{128}, file_bytes - 1}) {
    SCOPED_TRACE("bit at " + std::to_string(offset));
    FlipBit(object_.paths[5], offset);
    const absl::StatusOr<std::vector<RebuiltShard>> rebuilt = Repair(LocalCoder());
    ASSERT_TRUE(rebuilt.ok()) << rebuilt.status();
    EXPECT_THAT(*rebuilt, SizeIs(1));
    ASSERT_EQ(scratch_.Contents(), all_);
  }
}

TEST_F(RepairTest, MendsAnEmptyObject) {
  const Scratch scratch;
  const EncodedObject object = EncodeNoise(scratch, MakeGeometry(codec::Code::kXor, 2, 1), 0);
  const auto all = scratch.Contents();
  fs::remove(object.paths[0]);
  FlipBit(object.paths[2], 100);
  const absl::StatusOr<std::vector<RebuiltShard>> rebuilt =
      RepairSet(LocalCoder(), FindSet(scratch), {});
  ASSERT_TRUE(rebuilt.ok()) << rebuilt.status();
  EXPECT_THAT(*rebuilt, SizeIs(2));
  EXPECT_EQ(scratch.Contents(), all);
}

TEST_F(RepairTest, WritesElsewhereWhenTold) {
  const Scratch out;
  fs::remove(object_.paths[1]);
  FlipBit(object_.paths[3], layout_.record_offset(7) + 5);
  const auto before = scratch_.Contents();
  RepairOptions options;
  options.directory = out.path();
  ASSERT_TRUE(Repair(LocalCoder(), options).ok());
  EXPECT_EQ(scratch_.Contents(), before);
  EXPECT_THAT(out.Contents(), ElementsAre(Key("object.001.shard"), Key("object.003.shard")));
  EXPECT_EQ(ReadFile(out / "object.001.shard"), all_.at("object.001.shard"));
  EXPECT_EQ(ReadFile(out / "object.003.shard"), all_.at("object.003.shard"));

  EXPECT_EQ(Repair(LocalCoder(), options).status().code(), absl::StatusCode::kAlreadyExists);
  options.directory = scratch_.path() + "/.";
  EXPECT_TRUE(Repair(LocalCoder(), options).ok()) << "a damaged file is replaced by any name";
  EXPECT_EQ(scratch_.Contents(), all_);
}

TEST_F(RepairTest, DoesNotOverwriteAFileThatWasNotGiven) {
  const auto before = scratch_.Contents();
  const FoundShards found = FindShards({object_.paths[0], object_.paths[1], object_.paths[2],
                                        object_.paths[3], object_.paths[4]})
                                .value();
  const absl::Status status = RepairSet(LocalCoder(), found.sets.at(0), {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(status.message(), HasSubstr(object_.paths[5]));
  EXPECT_EQ(scratch_.Contents(), before);
}

TEST_F(RepairTest, NewFilesAreNoMoreReadableThanTheOthers) {
  fs::remove(object_.paths[0]);
  ASSERT_EQ(chmod(object_.paths[5].c_str(), 0600), 0);
  ASSERT_TRUE(Repair(LocalCoder()).ok());
  struct stat status;
  ASSERT_EQ(stat(object_.paths[0].c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
}

TEST_F(RepairTest, RefusesWhenTooManyFilesAreMissing) {
  for (uint32_t shard : {1, 2, 5}) fs::remove(object_.paths[shard]);
  ExpectRefused(LocalCoder(), absl::StatusCode::kDataLoss,
                "3 of 6 shards are missing or damaged (1, 2, 5), at most 2 can be");
}

TEST_F(RepairTest, RefusesWhenAShardIsWrongInSpiteOfItsChecksums) {
  Forge(object_.paths[2], layout_, 1000);
  ExpectRefused(LocalCoder(), absl::StatusCode::kDataLoss, "suspect: shard 2");
  // Nor does it take new shards from a wrong one.
  fs::remove(object_.paths[5]);
  ExpectRefused(LocalCoder(), absl::StatusCode::kDataLoss,
                "stripe 0: the rebuilt shards do not agree with the others at shard offset 1000");
  // Without the suspect it can.
  fs::remove(object_.paths[2]);
  ASSERT_TRUE(Repair(LocalCoder()).ok());
  EXPECT_EQ(scratch_.Contents(), all_);
}

TEST_F(RepairTest, RefusesWhatTheCoderGotWrong) {
  fs::remove(object_.paths[2]);
  StubCoder coder;
  coder.wrong_reconstruct = true;
  ExpectRefused(coder, absl::StatusCode::kDataLoss, "the rebuilt shards do not agree");
}

TEST_F(RepairTest, RefusesWhenTheCoderFails) {
  FlipBit(object_.paths[2], layout_.record_offset(9) + 1);
  StubCoder coder;
  coder.on_reconstruct = [] { return absl::UnavailableError("gone"); };
  ExpectRefused(coder, absl::StatusCode::kUnavailable, "gone");
  std::atomic<int> calls{0};
  StubCoder late;
  late.on_verify =
      [&calls](client::ShardBytes) {  // once for each stripe, then for the one that was rebuilt
        return ++calls == 22 ? absl::InternalError("broken") : absl::OkStatus();
      };
  ExpectRefused(late, absl::StatusCode::kInternal, "broken");
}

TEST_F(RepairTest, RefusesWhenAnotherFileIsDamagedMeanwhile) {
  FlipBit(object_.paths[2], layout_.record_offset(0));
  StubCoder coder;
  coder.on_reconstruct = [&] {
    // Of the last stripe, which is read when this one is done.
    FlipBit(object_.paths[4], layout_.record_offset(20));
    return absl::OkStatus();
  };
  RepairOptions options;
  options.run.stripes_in_flight = 1;
  const absl::Status status = Repair(coder, options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted) << status;
  EXPECT_THAT(status.message(), HasSubstr(object_.paths[4]));
}

TEST_F(RepairTest, LeavesNothingWhenItIsCancelled) {
  fs::remove(object_.paths[0]);
  const auto before = scratch_.Contents();
  client::Cancellation cancellation;
  StubCoder coder;
  coder.on_reconstruct = [&] {
    cancellation.Cancel();
    return absl::OkStatus();
  };
  RepairOptions options;
  options.run.cancellation = &cancellation;
  EXPECT_EQ(Repair(coder, options).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(scratch_.Contents(), before);
}

}  // namespace
}  // namespace parity::shardfile
