#include "parity/kernels/cpu_features.h"

#include "gtest/gtest.h"
#include "real_cpus.h"

namespace parity::kernels {
namespace {

constexpr CpuFeatures kUpToAvx2 = kSsse3 | kAvx | kAvx2;
constexpr CpuFeatures kUpToAvx512 = kUpToAvx2 | kAvx512;

TEST(FeaturesOf, KnowsRealCpus) {
  EXPECT_EQ(FeaturesOf(kNehalem), kSsse3);
  EXPECT_EQ(FeaturesOf(kSandyBridge), kSsse3 | kAvx);
  EXPECT_EQ(FeaturesOf(kHaswell), kUpToAvx2);
  EXPECT_EQ(FeaturesOf(kSkylakeSp), kUpToAvx512);
  EXPECT_EQ(FeaturesOf(kIceLakeSp), kUpToAvx512 | kGfni);
  EXPECT_EQ(FeaturesOf(kTigerLake), kUpToAvx512 | kGfni);
  EXPECT_EQ(FeaturesOf(kRocketLake), kUpToAvx512 | kGfni);
  EXPECT_EQ(FeaturesOf(kAlderLake), kUpToAvx2 | kGfni);
  EXPECT_EQ(FeaturesOf(kSapphireRapids), kUpToAvx512 | kGfni);
  EXPECT_EQ(FeaturesOf(kZen4), kUpToAvx512 | kGfni);
}

TEST(FeaturesOf, WantsAllPartsOfAvx512) { EXPECT_EQ(FeaturesOf(kKnightsLanding), kUpToAvx2); }

TEST(FeaturesOf, HasNoAvxWhereTheSystemDoesNotUseXsave) {
  CpuRegisters registers = kSapphireRapids;
  registers.leaf1_ecx &= ~(1u << 27);
  EXPECT_EQ(FeaturesOf(registers), kSsse3 | kGfni);
}

TEST(FeaturesOf, HasNoAvxWhereTheSystemSavesOnlySse) {
  CpuRegisters registers = kSapphireRapids;
  registers.xcr0 = 0x3;
  EXPECT_EQ(FeaturesOf(registers), kSsse3 | kGfni);
}

TEST(FeaturesOf, HasNoAvx512WhereTheSystemSavesOnlyYmm) {
  CpuRegisters registers = kSapphireRapids;
  for (const uint64_t missing : {0x20, 0x40, 0x80, 0xe0}) {
    registers.xcr0 = kSapphireRapids.xcr0 & ~missing;
    EXPECT_EQ(FeaturesOf(registers), kUpToAvx2 | kGfni) << missing;
  }
}

TEST(FeaturesOf, HasNoAvx2WithoutAvx) {
  CpuRegisters registers = kHaswell;
  registers.leaf1_ecx &= ~(1u << 28);
  EXPECT_EQ(FeaturesOf(registers), kSsse3);
}

TEST(FeaturesOf, IsEmptyForNoRegisters) { EXPECT_EQ(FeaturesOf(CpuRegisters{}), 0u); }

TEST(PrefersNarrowVectors, HoldsForSkylakeIceLakeAndTigerLakeAlone) {
  EXPECT_TRUE(PrefersNarrowVectors(kSkylakeSp));
  EXPECT_TRUE(PrefersNarrowVectors(kIceLakeSp));
  EXPECT_TRUE(PrefersNarrowVectors(kTigerLake));
  EXPECT_FALSE(PrefersNarrowVectors(kRocketLake));
  EXPECT_FALSE(PrefersNarrowVectors(kAlderLake));
  EXPECT_FALSE(PrefersNarrowVectors(kSapphireRapids));
  EXPECT_FALSE(PrefersNarrowVectors(kZen4));
  EXPECT_FALSE(PrefersNarrowVectors(kHaswell));
}

TEST(PrefersNarrowVectors, DoesNotTakeAnotherVendorsModelForIntels) {
  CpuRegisters registers = kIceLakeSp;
  registers.intel = false;
  EXPECT_FALSE(PrefersNarrowVectors(registers));
}

TEST(PrefersNarrowVectors, DoesNotTakeAnotherFamilysModelForFamily6) {
  CpuRegisters registers = kIceLakeSp;
  registers.leaf1_eax ^= 0x100;
  EXPECT_FALSE(PrefersNarrowVectors(registers));
}

}  // namespace
}  // namespace parity::kernels
