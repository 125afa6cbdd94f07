// CPUID and XCR0 of real CPUs, from public register dumps (github.com/InstLatx64/InstLatx64). XCR0
// is what Linux enables on them.
#ifndef PARITY_TESTS_KERNELS_REAL_CPUS_H_
#define PARITY_TESTS_KERNELS_REAL_CPUS_H_

#include "parity/kernels/cpu_features.h"

namespace parity::kernels {

inline constexpr CpuRegisters kNehalem = {0x000106a4, 0x0098e3bd, 0, 0, 0, true};
inline constexpr CpuRegisters kSandyBridge = {0x000206a7, 0x1fbae3ff, 0, 0, 0x7, true};
inline constexpr CpuRegisters kHaswell = {0x000306c3, 0x7ffafbff, 0x000027ab, 0, 0x7, true};
inline constexpr CpuRegisters kKnightsLanding = {0x00050671, 0x7ff8f39f, 0x1c0d23ab,
                                                 0x00000001, 0xe7,       true};
inline constexpr CpuRegisters kSkylakeSp = {0x00050654, 0x7ffefbff, 0xd39ffffb,
                                            0x00000008, 0x2ff,      true};
inline constexpr CpuRegisters kIceLakeSp = {0x000606a6, 0x7ffefbff, 0xf3bfbfff,
                                            0x40417f4e, 0x2e7,      true};
inline constexpr CpuRegisters kTigerLake = {0x000806c1, 0x7ffafbbf, 0xf3bfa7eb,
                                            0x18c05fce, 0x2e7,      true};
inline constexpr CpuRegisters kRocketLake = {0x000a0671, 0x7ffafbbf, 0xf2bf67eb,
                                             0x00405f4e, 0x2ff,      true};
inline constexpr CpuRegisters kAlderLake = {0x00090672, 0x7ffafbff, 0x239ca7eb,
                                            0x98c027ac, 0x207,      true};
inline constexpr CpuRegisters kSapphireRapids = {0x000806f8, 0x7ffefbff, 0xf3bfbffb,
                                                 0xbb417fee, 0x602e7,    true};
inline constexpr CpuRegisters kZen4 = {0x00a60f12, 0x7ef8320b, 0xf1bf97a9,
                                       0x00405fce, 0x2e7,      false};

}  // namespace parity::kernels

#endif  // PARITY_TESTS_KERNELS_REAL_CPUS_H_
