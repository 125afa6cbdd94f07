#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parity/kernels/cpu_features.h"
#include "parity/kernels/dispatch.h"

namespace parity::kernels {
namespace {

CpuRegisters WithHwcap(uint64_t hwcap) {
  CpuRegisters registers;
  registers.hwcap = hwcap;
  return registers;
}

// What Linux shows on real CPUs, as the flags of /proc/cpuinfo.
constexpr uint64_t kCortexA72 = 0x000008ff;   // up to crc32, and cpuid
constexpr uint64_t kNeoverseN1 = 0x10119fff;  // also atomics and asimddp, but not sha3
constexpr uint64_t kNeoverseV1 = 0xdfffffff;  // also sha3 and sve

constexpr uint64_t kAsimd = 1u << 1;
constexpr uint64_t kSha3 = 1u << 17;

TEST(ArmFeatures, AreKnownForRealCpus) {
  EXPECT_EQ(FeaturesOf(WithHwcap(kCortexA72)), kNeon);
  EXPECT_EQ(FeaturesOf(WithHwcap(kNeoverseN1)), kNeon);
  EXPECT_EQ(FeaturesOf(WithHwcap(kNeoverseV1)), kNeon | kNeonSha3);
}

TEST(ArmFeatures, HangOnOneBitEach) {
  EXPECT_EQ(FeaturesOf(WithHwcap(kAsimd)), kNeon);
  EXPECT_EQ(FeaturesOf(WithHwcap(~kAsimd)), 0u);
  EXPECT_EQ(FeaturesOf(WithHwcap(kAsimd | kSha3)), kNeon | kNeonSha3);
  EXPECT_EQ(FeaturesOf(WithHwcap(~kSha3)), kNeon);
}

#if defined(__aarch64__)

std::vector<std::string> NamesFor(uint64_t hwcap) {
  std::vector<std::string> names;
  for (const KernelTable* table : UsableTables(WithHwcap(hwcap))) names.push_back(table->name);
  return names;
}

TEST(ArmTables, AreBestFirstOnRealCpus) {
  EXPECT_THAT(NamesFor(kCortexA72), testing::ElementsAre("neon", "scalar"));
  EXPECT_THAT(NamesFor(kNeoverseN1), testing::ElementsAre("neon", "scalar"));
  EXPECT_THAT(NamesFor(kNeoverseV1), testing::ElementsAre("neon_sha3", "neon", "scalar"));
}

#endif

}  // namespace
}  // namespace parity::kernels
