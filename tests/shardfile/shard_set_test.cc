#include "parity/shardfile/shard_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "parity/shardfile/header.h"
#include "scratch.h"

namespace parity::shardfile {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using State = ShardSet::Member::State;

class ShardSetTest : public testing::Test {
 protected:
  FoundShards Find(const std::vector<std::string>& paths) {
    absl::StatusOr<FoundShards> found = FindShards(paths);
    EXPECT_TRUE(found.ok()) << found.status();
    return *std::move(found);
  }

  absl::Status Error(const std::vector<std::string>& paths) { return FindShards(paths).status(); }

  const Scratch scratch_;
  const EncodedObject object_ =
      EncodeNoise(scratch_, MakeGeometry(codec::Code::kReedSolomon, 3, 2), 5000);
};

TEST_F(ShardSetTest, IsFoundInADirectory) {
  const FoundShards found = Find({scratch_.path()});
  ASSERT_THAT(found.sets, SizeIs(1));
  EXPECT_THAT(found.strays, IsEmpty());
  const ShardSet& set = found.sets[0];
  EXPECT_EQ(set.object_id, object_.object_id);
  EXPECT_EQ(set.layout, object_.layout);
  ASSERT_THAT(set.members, SizeIs(5));
  for (uint32_t index = 0; index < 5; ++index) {
    EXPECT_EQ(set.members[index].state, State::kReadable);
    EXPECT_EQ(set.members[index].path, object_.paths[index]);
  }
}

TEST_F(ShardSetTest, IsFoundWhateverTheNames) {
  fs::rename(object_.paths[0], scratch_ / "last");
  fs::rename(object_.paths[4], object_.paths[0]);
  const FoundShards found = Find({scratch_ / "last", scratch_.path()});
  ASSERT_THAT(found.sets, SizeIs(1));
  EXPECT_EQ(found.sets[0].members[0].path, scratch_ / "last");
  EXPECT_EQ(found.sets[0].members[4].path, object_.paths[0]);
}

TEST_F(ShardSetTest, KeepsObjectsApart) {
  WriteFile(scratch_ / "other", Noise(10, 2));
  const absl::StatusOr<EncodedObject> other = EncodeObject(
      LocalCoder(), MakeGeometry(codec::Code::kXor, 2, 1), scratch_ / "other", TestOptions());
  ASSERT_TRUE(other.ok()) << other.status();
  const FoundShards found = Find({other->paths[0], scratch_.path()});
  ASSERT_THAT(found.sets, SizeIs(2));
  EXPECT_EQ(found.sets[0].object_id, other->object_id);
  EXPECT_THAT(found.sets[0].members, SizeIs(3));
  EXPECT_EQ(found.sets[1].object_id, object_.object_id);
  EXPECT_THAT(found.sets[1].members, SizeIs(5));
}

TEST_F(ShardSetTest, KnowsWhereAMissingShardBelongs) {
  fs::remove(object_.paths[3]);
  const ShardSet set = Find({scratch_.path()}).sets.at(0);
  EXPECT_EQ(set.members[3].state, State::kMissing);
  EXPECT_EQ(set.members[3].path, object_.paths[3]);
  EXPECT_THAT(set.members[3].fault.message(), HasSubstr("object.003.shard: missing"));

  // A name that does not tell the object's is no base for another.
  fs::create_directory(scratch_ / "d");
  fs::rename(object_.paths[0], scratch_ / "d/x");
  EXPECT_EQ(Find({scratch_ / "d/x"}).sets.at(0).members[3].path,
            scratch_ / "d/" + object_.object_id.ToString() + ".003.shard");
}

TEST_F(ShardSetTest, KnowsAFileWithoutHeaderByItsPlace) {
  FlipBit(object_.paths[2], 20);
  const FoundShards found = Find({scratch_.path()});
  ASSERT_THAT(found.sets, SizeIs(1));
  EXPECT_THAT(found.strays, IsEmpty());
  const ShardSet::Member& member = found.sets[0].members[2];
  EXPECT_EQ(member.state, State::kUnreadable);
  EXPECT_EQ(member.path, object_.paths[2]);
  EXPECT_EQ(member.fault.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(member.fault.message(), HasSubstr("header_checksum"));
}

TEST_F(ShardSetTest, KnowsAFileWithoutHeaderByItsNameAlone) {
  fs::create_directory(scratch_ / "d");
  const std::string moved = scratch_ / "d/object.002.shard";
  fs::rename(object_.paths[2], moved);
  FlipBit(moved, 20);
  const FoundShards found = Find({scratch_.path(), moved});
  ASSERT_THAT(found.sets, SizeIs(1));
  EXPECT_EQ(found.sets[0].members[2].state, State::kUnreadable);
  EXPECT_EQ(found.sets[0].members[2].path, moved);
}

TEST_F(ShardSetTest, KnowsAFileWithoutHeaderByItsPlaceAmongNamesakes) {
  const Scratch other;
  EncodeNoise(other, MakeGeometry(codec::Code::kReedSolomon, 3, 2), 5000);
  fs::remove(object_.paths[2]);
  FlipBit(other / "object.002.shard", 20);
  const FoundShards found = Find({scratch_.path(), other.path()});
  ASSERT_THAT(found.sets, SizeIs(2));
  EXPECT_THAT(found.strays, IsEmpty());
  EXPECT_EQ(found.sets[0].members[2].state, State::kMissing);
  EXPECT_EQ(found.sets[1].members[2].state, State::kUnreadable);
}

TEST_F(ShardSetTest, DoesNotGuessBetweenNamesakes) {
  const Scratch other;
  EncodeNoise(other, MakeGeometry(codec::Code::kReedSolomon, 3, 2), 5000);
  fs::remove(object_.paths[2]);
  fs::remove(other / "object.002.shard");
  fs::create_directory(scratch_ / "d");
  const std::string stray = scratch_ / "d/object.002.shard";
  WriteFile(stray, {});
  const FoundShards found = Find({scratch_.path(), other.path(), stray});
  ASSERT_THAT(found.sets, SizeIs(2));
  ASSERT_THAT(found.strays, SizeIs(1));
  EXPECT_EQ(found.strays[0].path, stray);
}

TEST_F(ShardSetTest, ReportsStrays) {
  WriteFile(scratch_ / "noise.shard", Noise(500, 3));
  const FoundShards found = Find({scratch_.path()});
  EXPECT_THAT(found.sets, SizeIs(1));
  ASSERT_THAT(found.strays, SizeIs(1));
  EXPECT_EQ(found.strays[0].path, scratch_ / "noise.shard");
  EXPECT_THAT(found.strays[0].fault.message(), HasSubstr("noise.shard: magic: got"));
}

TEST_F(ShardSetTest, CountsAFileWithSeveralNamesOnce) {
  fs::create_symlink(object_.paths[1], scratch_ / "link.shard");
  fs::create_hard_link(object_.paths[2], scratch_ / "hard.shard");
  FlipBit(object_.paths[3], 20);
  const FoundShards found =
      Find({object_.paths[0], scratch_.path(), scratch_ / "./object.003.shard"});
  EXPECT_THAT(found.sets, SizeIs(1));
  EXPECT_THAT(found.strays, IsEmpty());
}

TEST_F(ShardSetTest, RefusesTwoFilesOfOneShard) {
  fs::copy(object_.paths[1], scratch_ / "copy.shard");
  const ShardSet set = Find({scratch_.path()}).sets.at(0);
  const absl::Status status = set.fault;
  EXPECT_EQ(set.Open().status(), status);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr(scratch_ / "copy.shard"));
  EXPECT_THAT(status.message(), HasSubstr(object_.paths[1]));
  EXPECT_THAT(status.message(), HasSubstr("both shard 1"));
}

TEST_F(ShardSetTest, RefusesHeadersThatDisagree) {
  Bytes bytes = ReadFile(object_.paths[1]);
  SetField(bytes, 60, 2 * kTestCellBytes, 4);
  WriteFile(object_.paths[1], bytes);
  const ShardSet set = Find({scratch_.path()}).sets.at(0);
  const absl::Status status = set.fault;
  EXPECT_EQ(set.Open().status(), status);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr(object_.paths[0]));
  EXPECT_THAT(status.message(), HasSubstr(object_.paths[1]));
  EXPECT_THAT(status.message(), HasSubstr("disagree"));
}

// It is not damaged, so nothing may take it for damaged.
TEST_F(ShardSetTest, RefusesFilesOfALaterVersion) {
  Bytes bytes = ReadFile(object_.paths[1]);
  SetField(bytes, 8, 2, 4);
  WriteFile(object_.paths[1], bytes);
  const ShardSet::Member member = Find({scratch_.path()}).sets.at(0).members[1];
  const absl::Status status = member.fault;
  EXPECT_EQ(member.state, State::kRefused);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(status.message(), HasSubstr(object_.paths[1] + ": format_version: got 2, want 1"));
}

TEST_F(ShardSetTest, TakesANamedFileThatIsNotThereForAMissingShard) {
  fs::remove(object_.paths[3]);
  const FoundShards found = Find(object_.paths);
  EXPECT_EQ(found.sets.at(0).members[3].state, State::kMissing);
  EXPECT_EQ(Error({object_.paths[0], scratch_ / "typo"}).code(), absl::StatusCode::kNotFound);
}

TEST_F(ShardSetTest, NeedsAShardFile) {
  const Scratch empty;
  const absl::Status status = Error({empty.path()});
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr(empty.path() + ": no shard files"));
}

TEST_F(ShardSetTest, DoesNotWaitForAFifo) {
  ASSERT_EQ(mkfifo((scratch_ / "fifo.shard").c_str(), 0600), 0);
  const FoundShards found = Find({scratch_.path()});
  EXPECT_THAT(found.sets, SizeIs(1));
  ASSERT_THAT(found.strays, SizeIs(1));
  EXPECT_EQ(found.strays[0].fault.code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ShardSetTest, DoesNotOpenAFileThatHasBecomeAnother) {
  const ShardSet set = FindSet(scratch_);
  fs::copy(object_.paths[0], object_.paths[1], fs::copy_options::overwrite_existing);
  const absl::Status status = set.Open().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr(object_.paths[1]));
}

TEST(ShardFileName, SortsByIndex) {
  EXPECT_EQ(ShardFileName("a.tar", 0), "a.tar.000.shard");
  EXPECT_EQ(ShardFileName("a.tar", 254), "a.tar.254.shard");
}

}  // namespace
}  // namespace parity::shardfile
