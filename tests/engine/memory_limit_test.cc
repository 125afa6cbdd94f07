#include "parity/engine/memory_limit.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace parity::engine {
namespace {

constexpr uint64_t kPhysical = uint64_t{64} << 30;

class MemoryLimitTest : public ::testing::Test {
 protected:
  MemoryLimitTest() {
    char name[] = "/tmp/parity-memory-test.XXXXXX";
    root_ = mkdtemp(name);
  }
  ~MemoryLimitTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& file, const std::string& content) {
    const std::filesystem::path path = root_ + "/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << content;
  }
  void Expect(uint64_t bytes, bool from_cgroup) {
    const MemoryBound bound = MemoryLimit(root_, kPhysical);
    EXPECT_EQ(bound.bytes, bytes);
    EXPECT_EQ(bound.from_cgroup, from_cgroup);
  }

  std::string root_;
};

TEST_F(MemoryLimitTest, ReadsVersion2) {
  Write("memory.max", "268435456\n");
  Expect(268435456, true);
}

TEST_F(MemoryLimitTest, MaxIsNoLimit) {
  Write("memory.max", "max\n");
  Expect(kPhysical, false);
}

TEST_F(MemoryLimitTest, ReadsVersion1) {
  Write("memory/memory.limit_in_bytes", "268435456\n");
  Expect(268435456, true);
}

TEST_F(MemoryLimitTest, TheUnlimitedNumberOfVersion1IsNoLimit) {
  Write("memory/memory.limit_in_bytes", "9223372036854771712\n");
  Expect(kPhysical, false);
}

TEST_F(MemoryLimitTest, TheSmallestCounts) {
  Write("memory.max", "1073741824\n");
  Write("memory/memory.limit_in_bytes", "268435456\n");
  Expect(268435456, true);
}

TEST_F(MemoryLimitTest, ALimitBeyondTheMachineIsNone) {
  Write("memory.max", std::to_string(kPhysical + 1));
  Expect(kPhysical, false);
}

TEST_F(MemoryLimitTest, NothingThereIsTheMachine) { Expect(kPhysical, false); }

TEST_F(MemoryLimitTest, NonsenseIsNoLimit) {
  for (const char* nonsense : {"", "0\n", "lots\n", "99999999999999999999999\n"}) {
    Write("memory.max", nonsense);
    Expect(kPhysical, false);
  }
}

TEST(MemoryLimit, ThisMachineHasOne) {
  const MemoryBound bound = MemoryLimit();
  EXPECT_GT(bound.bytes, 0u);
  EXPECT_LE(bound.bytes, PhysicalMemory());
}

TEST(MemoryLimit, HeldBytesLeaveRoomForWhatArrives) {
  EXPECT_EQ(DefaultHeldBytes({uint64_t{320} << 20, true}), uint64_t{64} << 20);
  EXPECT_EQ(DefaultHeldBytes({uint64_t{64} << 30, false}), uint64_t{4} << 30);
  EXPECT_LT(DefaultHeldBytes({UINT64_MAX, true}), UINT64_MAX / 2);
}

}  // namespace
}  // namespace parity::engine
