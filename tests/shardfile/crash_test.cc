// Updates that end at every step that changes a file, in two ways: the process is killed, and the
// power goes, so that of what was not synced nothing is on the medium. This program's own calls
// take the place of the C library's, so nothing else may be tested in it.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <map>
#include <vector>

#include "parity/shardfile/decode.h"
#include "parity/shardfile/repair.h"
#include "parity/shardfile/update.h"
#include "parity/shardfile/verify.h"
#include "scratch.h"

namespace {

// What a write has replaced, to be put back if the power goes.
struct Unsynced {
  int descriptor;
  ino_t file;
  off_t offset;
  std::vector<uint8_t> before;
};

bool counting = false;
int steps_left = 0;
bool power_goes = false;
std::vector<Unsynced> unsynced;

ino_t FileOf(int descriptor) {
  struct stat status = {};
  fstat(descriptor, &status);
  return status.st_ino;
}

// Ends the process if this is the step at which it ends.
bool IsLastStep() { return counting && steps_left-- == 0; }

[[noreturn]] void End() {
  if (power_goes) {
    for (auto each = unsynced.rbegin(); each != unsynced.rend(); ++each) {
      syscall(SYS_pwrite64, each->descriptor, each->before.data(), each->before.size(),
              each->offset);
    }
  }
  _exit(1);
}

}  // namespace

extern "C" ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t offset) {
  const bool is_last = IsLastStep();
  if (is_last) count /= 2;
  if (counting && power_goes) {
    std::vector<uint8_t> before(count);
    const ssize_t got = pread(descriptor, before.data(), count, offset);
    before.resize(got > 0 ? static_cast<size_t>(got) : 0);
    unsynced.push_back({descriptor, FileOf(descriptor), offset, std::move(before)});
  }
  const ssize_t written = syscall(SYS_pwrite64, descriptor, bytes, count, offset);
  if (is_last) End();
  return written;
}

extern "C" int fsync(int descriptor) {
  if (IsLastStep()) End();
  std::vector<Unsynced> left;
  for (Unsynced& each : unsynced) {
    if (each.file != FileOf(descriptor)) left.push_back(std::move(each));
  }
  unsynced = std::move(left);
  return 0;  // the medium is not what is tested
}

extern "C" int renameat2(int from_fd, const char* from, int to_fd, const char* to, unsigned flags) {
  if (IsLastStep()) End();
  return static_cast<int>(syscall(SYS_renameat2, from_fd, from, to_fd, to, flags));
}

extern "C" int unlink(const char* path) {
  if (IsLastStep()) End();
  return static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}

namespace parity::shardfile {
namespace {

using ::testing::HasSubstr;

class CrashTest : public testing::TestWithParam<bool> {
 protected:
  CrashTest() {
    const File source = File::OpenForReading(WriteNew()).value();
    new_ = old_;
    const Bytes replacement = ReadFile(other_ / "new");
    std::copy(replacement.begin(), replacement.end(), new_.begin() + kOffset);
  }

  std::string WriteNew() {
    WriteFile(other_ / "new", Noise(9000, 2));
    return other_ / "new";
  }

  // Runs `work` in a process that ends at the step. Returns whether it came to an end before.
  template <class Work>
  static bool Ends(int step, const Work& work) {
    const pid_t child = fork();
    if (child == 0) {
      steps_left = step;
      power_goes = GetParam();
      counting = true;
      work();
      _exit(0);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    return WEXITSTATUS(status) == 0;
  }

  bool UpdateEnds(int step) {
    return Ends(step, [this] {
      const File source = File::OpenForReading(other_ / "new").value();
      RunOptions run;
      run.stripes_in_flight = 1;
      const auto updated =
          UpdateObject(LocalCoder(), FindSet(scratch_), {std::nullopt, kOffset}, source, run);
      if (!updated.ok()) _exit(2);
    });
  }

  // What decoding gives; nothing if it refuses.
  Bytes Decode() {
    DecodeOptions options;
    options.existing = Existing::kReplace;
    const absl::Status status =
        DecodeObject(LocalCoder(), FindSet(scratch_), other_ / "decoded", options).status();
    if (status.ok()) return ReadFile(other_ / "decoded");
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    EXPECT_THAT(status.message(), HasSubstr("an update was interrupted: repair finishes it"));
    return {};
  }

  // Never a mix: the set is as before, or says that it is not, and a repair makes it new.
  void ExpectOldOrNew() {
    const SetReport report = VerifySet(LocalCoder(), FindSet(scratch_), {}).value();
    const Bytes decoded = Decode();
    if (report.consistent()) {
      EXPECT_TRUE(decoded == old_ || decoded == new_);
    } else {
      EXPECT_EQ(report.damages.front().kind, Damage::Kind::kUpdate);
      EXPECT_EQ(decoded, Bytes());
    }
    const auto repaired = RepairSet(LocalCoder(), FindSet(scratch_), {});
    ASSERT_TRUE(repaired.ok()) << repaired.status();
    EXPECT_TRUE(repaired->empty()) << "the journal should have been enough";
    EXPECT_TRUE(VerifySet(LocalCoder(), FindSet(scratch_), {}).value().consistent());
    EXPECT_EQ(Decode(), report.consistent() ? decoded : new_);
  }

  void Restore() {
    for (const auto& [name, bytes] : scratch_.Contents()) std::remove((scratch_ / name).c_str());
    for (const auto& [name, bytes] : before_) WriteFile(scratch_ / name, bytes);
  }

  static constexpr uint64_t kOffset = 1000;

  const Scratch scratch_;
  const Scratch other_;
  const EncodedObject object_ = EncodeNoise(scratch_, MakeGeometry(codec::Code::kReedSolomon, 2, 2),
                                            3 * 2 * kTestCellBytes + 100);
  const std::map<std::string, Bytes> before_ = scratch_.Contents();
  const Bytes old_ = ReadFile(scratch_ / "object");
  Bytes new_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, CrashTest, testing::Bool(), [](const auto& power_goes) {
  return power_goes.param ? "PowerGoes" : "Killed";
});

TEST_P(CrashTest, LeavesTheOldObjectOrTheNewOne) {
  int unfinished = 0;
  int step = 0;
  for (; !UpdateEnds(step); ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    unfinished += VerifySet(LocalCoder(), FindSet(scratch_), {}).value().consistent() ? 0 : 1;
    ExpectOldOrNew();
    Restore();
  }
  EXPECT_EQ(Decode(), new_);
  EXPECT_GT(step, 20) << "these are not all steps";
  EXPECT_GT(unfinished, 10);
}

// A repair that is ended as well, at every step, can be repeated.
TEST_P(CrashTest, SurvivesCrashesOfTheRepair) {
  for (int first = 8; !UpdateEnds(first); first += 13) {
    const std::map<std::string, Bytes> crashed = scratch_.Contents();
    const bool is_unfinished = !VerifySet(LocalCoder(), FindSet(scratch_), {}).value().consistent();
    for (int step = 0; is_unfinished; ++step) {
      SCOPED_TRACE("steps " + std::to_string(first) + ", " + std::to_string(step));
      const bool ended = Ends(step, [this] {
        if (!FinishUpdate(FindSet(scratch_)).ok()) _exit(2);
      });
      ExpectOldOrNew();
      EXPECT_EQ(Decode(), new_);
      for (const auto& [name, bytes] : crashed) WriteFile(scratch_ / name, bytes);
      if (ended) break;
    }
    Restore();
  }
}

TEST_P(CrashTest, TheNextUpdateFinishesTheLast) {
  ASSERT_FALSE(UpdateEnds(12));
  ASSERT_FALSE(VerifySet(LocalCoder(), FindSet(scratch_), {}).value().consistent());
  WriteFile(other_ / "next", Noise(50, 3));
  const File next = File::OpenForReading(other_ / "next").value();
  const auto updated = UpdateObject(LocalCoder(), FindSet(scratch_), {std::nullopt, 0}, next, {});
  ASSERT_TRUE(updated.ok()) << updated.status();
  const Bytes replacement = Noise(50, 3);
  std::copy(replacement.begin(), replacement.end(), new_.begin());
  EXPECT_EQ(Decode(), new_);
}

TEST_P(CrashTest, RefusesADamagedJournal) {
  ASSERT_FALSE(UpdateEnds(12));
  const std::string journal = "parity-" + object_.object_id.ToString() + ".journal";
  const Bytes intact = ReadFile(scratch_ / journal);
  for (uint64_t at : {uint64_t{3}, uint64_t{40}, uint64_t{70}, uint64_t{200}, intact.size() - 1}) {
    SCOPED_TRACE(at);
    FlipBit(scratch_ / journal, at);
    const absl::Status status = FinishUpdate(FindSet(scratch_)).status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    EXPECT_THAT(status.message(), HasSubstr(journal));
    WriteFile(scratch_ / journal, intact);
  }
  EXPECT_TRUE(FinishUpdate(FindSet(scratch_)).value());
}

TEST_P(CrashTest, RefusesAJournalOfOtherContents) {
  ASSERT_FALSE(UpdateEnds(12));
  Forge(object_.paths[1], object_.layout, 700);
  const absl::Status status = FinishUpdate(FindSet(scratch_)).status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("does not fit shard 1"));
}

// The journal has their blocks too, so those that are left are new.
TEST_P(CrashTest, RepairMakesMissingShardsNewAsWell) {
  ASSERT_FALSE(UpdateEnds(12));
  std::remove(object_.paths[0].c_str());
  FlipBit(object_.paths[3], 5);
  ASSERT_TRUE(RepairSet(LocalCoder(), FindSet(scratch_), {}).ok());
  EXPECT_EQ(Decode(), new_);
}

// A shard that was away while the others were made new must not come back as it was.
TEST_P(CrashTest, TheJournalStaysWhileAnOldShardMayComeBack) {
  ASSERT_FALSE(UpdateEnds(12));
  ASSERT_EQ(rename(object_.paths[0].c_str(), (other_ / "kept").c_str()), 0);
  RepairOptions elsewhere;
  elsewhere.directory = other_ / "elsewhere";
  const absl::Status status = RepairSet(LocalCoder(), FindSet(scratch_), elsewhere).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("shard 0"));
  ASSERT_EQ(rename((other_ / "kept").c_str(), object_.paths[0].c_str()), 0);
  EXPECT_EQ(Decode(), Bytes());
  ASSERT_TRUE(RepairSet(LocalCoder(), FindSet(scratch_), {}).ok());
  EXPECT_EQ(Decode(), new_);
}

TEST_P(CrashTest, TheJournalStaysWhileAShardCannotBeOpened) {
  ASSERT_FALSE(UpdateEnds(12));
  ShardSet set = FindSet(scratch_);
  set.members[1].state = ShardSet::Member::State::kRefused;
  set.members[1].fault = absl::PermissionDeniedError("closed to you");
  for (const absl::Status& status :
       {FinishUpdate(set).status(), RepairSet(LocalCoder(), set, {}).status()}) {
    EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
    EXPECT_THAT(status.message(), HasSubstr("shard 1: closed to you"));
  }
  EXPECT_EQ(Decode(), Bytes());
  ASSERT_TRUE(RepairSet(LocalCoder(), FindSet(scratch_), {}).ok());
  EXPECT_EQ(Decode(), new_);
}

TEST_P(CrashTest, TheJournalStaysUntilAMissingShardIsRebuilt) {
  ASSERT_FALSE(UpdateEnds(12));
  const Bytes kept = ReadFile(object_.paths[0]);
  const std::map<std::string, Bytes> crashed = scratch_.Contents();
  for (int step = 0;; ++step) {
    SCOPED_TRACE(step);
    std::remove(object_.paths[0].c_str());
    const bool ended = Ends(step, [this] {
      if (!RepairSet(LocalCoder(), FindSet(scratch_), {}).ok()) _exit(2);
    });
    if (!ended) {
      // It comes back as it was, or the repair has just put the new one there.
      struct stat status;
      if (stat(object_.paths[0].c_str(), &status) != 0) WriteFile(object_.paths[0], kept);
      const Bytes decoded = Decode();
      EXPECT_TRUE(decoded.empty() || decoded == new_);
    }
    ASSERT_TRUE(RepairSet(LocalCoder(), FindSet(scratch_), {}).ok());
    EXPECT_EQ(Decode(), new_);
    if (ended) break;
    for (const auto& [name, bytes] : scratch_.Contents()) std::remove((scratch_ / name).c_str());
    for (const auto& [name, bytes] : crashed) WriteFile(scratch_ / name, bytes);
  }
}

TEST_P(CrashTest, TheJournalIsBesideTheFilesThatLinksLeadTo) {
  const Scratch links;
  for (size_t i = 0; i < object_.paths.size(); ++i) {
    const std::string link = links / ("object.00" + std::to_string(i) + ".shard");
    ASSERT_EQ(symlink(object_.paths[i].c_str(), link.c_str()), 0);
  }
  ASSERT_FALSE(Ends(12, [&] {
    const File source = File::OpenForReading(other_ / "new").value();
    RunOptions run;
    run.stripes_in_flight = 1;
    if (!UpdateObject(LocalCoder(), FindSet(links), {std::nullopt, kOffset}, source, run).ok()) {
      _exit(2);
    }
  }));
  ExpectOldOrNew();
  EXPECT_EQ(Decode(), new_);
}

TEST_P(CrashTest, FilesOfSeveralNamesAreNotUpdated) {
  ASSERT_EQ(link(object_.paths[2].c_str(), (other_ / "again").c_str()), 0);
  const File source = File::OpenForReading(other_ / "new").value();
  const absl::Status status =
      UpdateObject(LocalCoder(), FindSet(scratch_), {std::nullopt, kOffset}, source, {}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("has 2 names"));
  EXPECT_EQ(Decode(), old_);
}

TEST_P(CrashTest, TemporaryFilesOfJournalsAreTakenAway) {
  ASSERT_FALSE(UpdateEnds(2));
  const std::string temporary =
      scratch_ / (".parity-" + object_.object_id.ToString() + ".journal.tmp");
  struct stat status;
  ASSERT_EQ(stat(temporary.c_str(), &status), 0);
  ASSERT_TRUE(RepairSet(LocalCoder(), FindSet(scratch_), {}).ok());
  EXPECT_NE(stat(temporary.c_str(), &status), 0);
}

}  // namespace
}  // namespace parity::shardfile
