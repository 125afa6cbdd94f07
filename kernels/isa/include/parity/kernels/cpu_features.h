// What the CPU can do and the operating system allows, as a pure function of register values.
#ifndef PARITY_KERNELS_CPU_FEATURES_H_
#define PARITY_KERNELS_CPU_FEATURES_H_

#include <cstdint>

namespace parity::kernels {

// A set of features; a bit is set only if CPUID reports the instructions and XCR0 says that the
// operating system saves the registers they use.
using CpuFeatures = uint32_t;

inline constexpr CpuFeatures kSsse3 = 1u << 0;
inline constexpr CpuFeatures kAvx = 1u << 1;
inline constexpr CpuFeatures kAvx2 = 1u << 2;
inline constexpr CpuFeatures kBmi2 = 1u << 3;
inline constexpr CpuFeatures kAvx512 = 1u << 4;  // F, BW, VL and DQ together
inline constexpr CpuFeatures kGfni = 1u << 5;

// The register values that decide, as CPUID and XGETBV(0) return them; 0 where a leaf or XCR0 does
// not exist.
struct CpuRegisters {
  uint32_t leaf1_eax = 0;
  uint32_t leaf1_ecx = 0;
  uint32_t leaf7_ebx = 0;
  uint32_t leaf7_ecx = 0;
  uint64_t xcr0 = 0;
  bool intel = false;
};

// Reads the registers of the CPU it runs on. All zero on a CPU that is not x86-64.
CpuRegisters ReadCpuRegisters();

CpuFeatures FeaturesOf(const CpuRegisters& registers);

// True for the CPUs on which 512-bit instructions lower the clock of the whole core enough to lose:
// Intel's Skylake-SP/X (with Cascade and Cooper Lake), Ice Lake and Tiger Lake.
bool PrefersNarrowVectors(const CpuRegisters& registers);

}  // namespace parity::kernels

#endif  // PARITY_KERNELS_CPU_FEATURES_H_
