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

#if defined(__x86_64__)

TEST(UsableTables, AreThoseOfTheBaselineOnAnUnknownCpu) {
  EXPECT_THAT(NamesFor(CpuRegisters{}), ElementsAre("sse2", "scalar"));
}

TEST(UsableTables, AreBestFirstOnRealCpus) {
  EXPECT_THAT(NamesFor(kNehalem), ElementsAre("ssse3", "sse2", "scalar"));
  EXPECT_THAT(NamesFor(kSandyBridge), ElementsAre("avx", "ssse3", "sse2", "scalar"));
  for (const CpuRegisters& cpu : {kHaswell, kKnightsLanding}) {
    EXPECT_THAT(NamesFor(cpu), ElementsAre("avx2", "avx", "ssse3", "sse2", "scalar"));
  }
  EXPECT_THAT(NamesFor(kAlderLake),
              ElementsAre("avx2gfni", "avx2", "avx", "ssse3", "sse2", "scalar"));
  for (const CpuRegisters& cpu : {kRocketLake, kSapphireRapids, kZen4}) {
    EXPECT_THAT(NamesFor(cpu), ElementsAre("avx512gfni", "avx512ymmgfni", "avx2gfni", "avx512",
                                           "avx512ymm", "avx2", "avx", "ssse3", "sse2", "scalar"));
  }
}

TEST(UsableTables, PutWideVectorsBehindNarrowOnesWhereTheyLowerTheClock) {
  EXPECT_THAT(NamesFor(kSkylakeSp),
              ElementsAre("avx512ymm", "avx2", "avx", "ssse3", "sse2", "avx512", "scalar"));
  for (const CpuRegisters& cpu : {kIceLakeSp, kTigerLake}) {
    EXPECT_THAT(NamesFor(cpu), ElementsAre("avx512ymmgfni", "avx2gfni", "avx512ymm", "avx2", "avx",
                                           "ssse3", "sse2", "avx512gfni", "avx512", "scalar"));
  }
}

TEST(UsableTables, SayHowWideTheirVectorsAre) {
  for (const KernelTable* table : UsableTables(kSapphireRapids)) {
    const std::string name = table->name;
    const size_t expected = name == "avx512gfni" || name == "avx512" ? 64
                            : name == "ssse3" || name == "sse2"      ? 16
                            : name == "scalar"                       ? 8
                                                                     : 32;
    EXPECT_EQ(table->vector_bytes, expected) << name;
  }
}

TEST(UsableTables, NeedTheSystemToSaveTheRegisters) {
  CpuRegisters registers = kSapphireRapids;
  registers.xcr0 = 0x7;
  EXPECT_THAT(NamesFor(registers),
              ElementsAre("avx2gfni", "avx2", "avx", "ssse3", "sse2", "scalar"));
  registers.xcr0 = 0x3;
  EXPECT_THAT(NamesFor(registers), ElementsAre("ssse3", "sse2", "scalar"));
}

// Every subset of what decides, against the conditions written out.
TEST(UsableTables, NeedEveryBitOfWhatTheyUse) {
  constexpr uint32_t kLeaf1Ecx[] = {1u << 9, 1u << 27, 1u << 28};  // SSSE3, OSXSAVE, AVX
  constexpr uint32_t kLeaf7Ebx[] = {1u << 5, 1u << 16, 1u << 17, 1u << 30, 1u << 31};
  constexpr uint64_t kXcr0[] = {0x2, 0x4, 0x20, 0x40, 0x80};
  for (uint32_t subset = 0; subset < (1u << 15); ++subset) {
    CpuRegisters registers;
    uint32_t bit = 0;
    const auto take = [&] { return (subset >> bit++ & 1) != 0; };
    for (const uint32_t flag : kLeaf1Ecx) registers.leaf1_ecx |= take() ? flag : 0;
    for (const uint32_t flag : kLeaf7Ebx) registers.leaf7_ebx |= take() ? flag : 0;
    for (const uint64_t flag : kXcr0) registers.xcr0 |= take() ? flag : 0;
    const bool gfni = take();
    registers.leaf7_ecx = gfni ? 1u << 8 : 0;
    const bool lowers_clock = take();
    registers.intel = lowers_clock;
    registers.leaf1_eax = kSkylakeSp.leaf1_eax;

    const bool avx = (registers.leaf1_ecx & 3u << 27) == 3u << 27 && (registers.xcr0 & 0x6) == 0x6;
    const bool avx2 = avx && (registers.leaf7_ebx & 1u << 5) != 0;
    const bool avx512 =
        avx2 && (registers.leaf7_ebx & 0xc0030000u) == 0xc0030000u && registers.xcr0 == 0xe6;
    std::vector<std::string> expected;
    const auto expect = [&](const char* name, bool usable) {
      if (usable) expected.push_back(name);
    };
    expect("avx512gfni", avx512 && gfni && !lowers_clock);
    expect("avx512ymmgfni", avx512 && gfni);
    expect("avx2gfni", avx2 && gfni);
    expect("avx512", avx512 && !lowers_clock);
    expect("avx512ymm", avx512);
    expect("avx2", avx2);
    expect("avx", avx);
    expect("ssse3", (registers.leaf1_ecx & 1u << 9) != 0);
    expect("sse2", true);
    expect("avx512gfni", avx512 && gfni && lowers_clock);
    expect("avx512", avx512 && lowers_clock);
    expect("scalar", true);
    ASSERT_EQ(NamesFor(registers), expected) << subset;
  }
}

#endif

TEST(UsableTables, EndWithTheOneForAnyCpu) {
  EXPECT_EQ(NamesFor(CpuRegisters{}).back(), "scalar");
  EXPECT_EQ(NamesFor(ReadCpuRegisters()).back(), "scalar");
}

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
