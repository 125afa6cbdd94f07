// What the CPU can do and the operating system allows, as a pure function of register values.
#ifndef PARITY_KERNELS_CPU_FEATURES_H_
#define PARITY_KERNELS_CPU_FEATURES_H_

#include <cstdint>

namespace parity::kernels {

// A set of features; a bit is set only if the CPU has the instructions and the operating system
// saves the registers they use: as CPUID and XCR0 say on x86-64, and Linux on Arm.
using CpuFeatures = uint32_t;

inline constexpr CpuFeatures kSsse3 = 1u << 0;
inline constexpr CpuFeatures kAvx = 1u << 1;
inline constexpr CpuFeatures kAvx2 = 1u << 2;
inline constexpr CpuFeatures kAvx512 = 1u << 3;  // F, BW, VL and DQ together
inline constexpr CpuFeatures kGfni = 1u << 4;
inline constexpr CpuFeatures kNeon = 1u << 5;
inline constexpr CpuFeatures kNeonSha3 = 1u << 6;  // the SHA-3 extension for NEON registers

// The values that decide: on x86-64 as CPUID and XGETBV(0) return them, on Arm AT_HWCAP of the
// auxiliary vector (Linux: Documentation/arm64/elf_hwcaps.rst); 0 what the CPU does not have.
struct CpuRegisters {
  uint32_t leaf1_eax = 0;
  uint32_t leaf1_ecx = 0;
  uint32_t leaf7_ebx = 0;
  uint32_t leaf7_ecx = 0;
  uint64_t xcr0 = 0;
  bool intel = false;
  uint64_t hwcap = 0;
};

// Reads the registers of the CPU it runs on. All zero on one that is neither x86-64 nor 64-bit Arm.
CpuRegisters ReadCpuRegisters();

CpuFeatures FeaturesOf(const CpuRegisters& registers);

// Family and model of an x86-64 CPU, with the extended parts added in; both 0 on others.
struct CpuModel {
  uint32_t family;
  uint32_t model;
};
CpuModel ModelOf(const CpuRegisters& registers);

// True for the CPUs on which 512-bit instructions lower the clock of the whole core enough to lose:
// Intel's Skylake-SP/X (with Cascade and Cooper Lake), Ice Lake and Tiger Lake.
bool PrefersNarrowVectors(const CpuRegisters& registers);

}  // namespace parity::kernels

#endif  // PARITY_KERNELS_CPU_FEATURES_H_
