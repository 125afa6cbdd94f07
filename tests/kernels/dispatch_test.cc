#include "parity/kernels/dispatch.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "real_cpus.h"

namespace parity::kernels {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> NamesFor(const CpuRegisters& registers) {
  std::vector<std::string> names;
  for (const KernelTable* table : UsableTables(registers)) names.push_back(table->name);
  return names;
}

TEST(UsableTables, AreOnlyScalarOnAnUnknownCpu) {
  EXPECT_THAT(NamesFor(CpuRegisters{}), ElementsAre("scalar"));
}

#if defined(__x86_64__)

TEST(UsableTables, AreBestFirstOnRealCpus) {
  EXPECT_THAT(NamesFor(kNehalem), ElementsAre("scalar"));
  EXPECT_THAT(NamesFor(kSandyBridge), ElementsAre("scalar"));
  EXPECT_THAT(NamesFor(kHaswell), ElementsAre("avx2", "scalar"));
  EXPECT_THAT(NamesFor(kKnightsLanding), ElementsAre("avx2", "scalar"));
  EXPECT_THAT(NamesFor(kRocketLake), ElementsAre("avx512gfni", "avx512", "avx2", "scalar"));
  EXPECT_THAT(NamesFor(kSapphireRapids), ElementsAre("avx512gfni", "avx512", "avx2", "scalar"));
  EXPECT_THAT(NamesFor(kZen4), ElementsAre("avx512gfni", "avx512", "avx2", "scalar"));
}

TEST(UsableTables, PutWideVectorsBehindNarrowOnesWhereTheyLowerTheClock) {
  EXPECT_THAT(NamesFor(kSkylakeSp), ElementsAre("avx2", "avx512", "scalar"));
  EXPECT_THAT(NamesFor(kIceLakeSp), ElementsAre("avx2", "avx512gfni", "avx512", "scalar"));
  EXPECT_THAT(NamesFor(kTigerLake), ElementsAre("avx2", "avx512gfni", "avx512", "scalar"));
}

TEST(UsableTables, NeedTheSystemToSaveTheRegisters) {
  CpuRegisters registers = kSapphireRapids;
  registers.xcr0 = 0x7;
  EXPECT_THAT(NamesFor(registers), ElementsAre("avx2", "scalar"));
  registers.xcr0 = 0x3;
  EXPECT_THAT(NamesFor(registers), ElementsAre("scalar"));
}

// Every subset of what decides, against the conditions written out.
TEST(UsableTables, NeedEveryBitOfWhatTheyUse) {
  constexpr uint32_t kLeaf1Ecx[] = {1u << 27, 1u << 28};  // OSXSAVE, AVX
  constexpr uint32_t kLeaf7Ebx[] = {1u << 5, 1u << 16, 1u << 17, 1u << 30, 1u << 31};
  constexpr uint64_t kXcr0[] = {0x2, 0x4, 0x20, 0x40, 0x80};
  for (uint32_t subset = 0; subset < (1u << 13); ++subset) {
    CpuRegisters registers;
    uint32_t bit = 0;
    const auto take = [&] { return (subset >> bit++ & 1) != 0; };
    for (const uint32_t flag : kLeaf1Ecx) registers.leaf1_ecx |= take() ? flag : 0;
    for (const uint32_t flag : kLeaf7Ebx) registers.leaf7_ebx |= take() ? flag : 0;
    for (const uint64_t flag : kXcr0) registers.xcr0 |= take() ? flag : 0;
    registers.leaf7_ecx = take() ? 1u << 8 : 0;

    const bool avx2 = registers.leaf1_ecx == (1u << 27 | 1u << 28) &&
                      (registers.leaf7_ebx & 1u << 5) != 0 && (registers.xcr0 & 0x6) == 0x6;
    const bool avx512 =
        avx2 && (registers.leaf7_ebx & 0xc0030000u) == 0xc0030000u && registers.xcr0 == 0xe6;
    std::vector<std::string> expected;
    if (avx512 && registers.leaf7_ecx != 0) expected.push_back("avx512gfni");
    if (avx512) expected.push_back("avx512");
    if (avx2) expected.push_back("avx2");
    expected.push_back("scalar");
    ASSERT_EQ(NamesFor(registers), expected) << subset;
  }
}

#endif

TEST(SelectTable, PicksTheBestByDefault) {
  const KernelTable* best = UsableTables(ReadCpuRegisters()).front();
  EXPECT_EQ(SelectTable("auto").value(), best);
  EXPECT_EQ(SelectTable("").value(), best);
}

TEST(SelectTable, TakesEveryUsableTableByName) {
  for (const KernelTable* table : UsableTables(ReadCpuRegisters())) {
    EXPECT_EQ(SelectTable(table->name).value(), table);
  }
}

TEST(SelectTable, ListsTheUsableNamesWhenItDoesNotKnowOne) {
  const absl::Status status = SelectTable("mmx").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  const std::string message(status.message());
  EXPECT_THAT(message, HasSubstr("kernels: got mmx, want auto"));
  for (const KernelTable* table : UsableTables(ReadCpuRegisters())) {
    EXPECT_THAT(message, HasSubstr(table->name));
  }
}

}  // namespace
}  // namespace parity::kernels
