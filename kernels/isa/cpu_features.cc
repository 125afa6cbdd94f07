#include "parity/kernels/cpu_features.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace parity::kernels {
namespace {

// CPUID.1:ECX
constexpr uint32_t kEcxSsse3 = 1u << 9;
constexpr uint32_t kEcxOsxsave = 1u << 27;
constexpr uint32_t kEcxAvx = 1u << 28;
// CPUID.(7,0):EBX
constexpr uint32_t kEbxAvx2 = 1u << 5;
constexpr uint32_t kEbxAvx512 = (1u << 16) | (1u << 17) | (1u << 30) | (1u << 31);  // F, DQ, BW, VL
// CPUID.(7,0):ECX
constexpr uint32_t kEcxGfni = 1u << 8;
// XCR0
constexpr uint64_t kSavesYmm = 0x06;  // SSE and AVX state
constexpr uint64_t kSavesZmm = 0xe6;  // those, the mask registers and both parts of ZMM state
// AT_HWCAP
constexpr uint64_t kHwcapAsimd = 1u << 1;
constexpr uint64_t kHwcapSha3 = 1u << 17;

constexpr bool Has(uint64_t value, uint64_t bits) { return (value & bits) == bits; }

}  // namespace

CpuRegisters ReadCpuRegisters() {
  CpuRegisters registers;
#if defined(__x86_64__)
  unsigned eax, ebx, ecx, edx;
  if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) == 0) return registers;
  registers.intel =
      ebx == signature_INTEL_ebx && ecx == signature_INTEL_ecx && edx == signature_INTEL_edx;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0) {
    registers.leaf1_eax = eax;
    registers.leaf1_ecx = ecx;
  }
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0) {
    registers.leaf7_ebx = ebx;
    registers.leaf7_ecx = ecx;
  }
  if (Has(registers.leaf1_ecx, kEcxOsxsave)) {
    uint32_t low, high;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    registers.xcr0 = (static_cast<uint64_t>(high) << 32) | low;
  }
#elif defined(__aarch64__)
  registers.hwcap = getauxval(AT_HWCAP);
#endif
  return registers;
}

CpuFeatures FeaturesOf(const CpuRegisters& registers) {
  const bool osxsave = Has(registers.leaf1_ecx, kEcxOsxsave);
  const bool saves_ymm = osxsave && Has(registers.xcr0, kSavesYmm);
  const bool saves_zmm = osxsave && Has(registers.xcr0, kSavesZmm);

  CpuFeatures features = 0;
  if (Has(registers.leaf1_ecx, kEcxSsse3)) features |= kSsse3;
  if (saves_ymm && Has(registers.leaf1_ecx, kEcxAvx)) features |= kAvx;
  if ((features & kAvx) != 0 && Has(registers.leaf7_ebx, kEbxAvx2)) features |= kAvx2;
  if (saves_zmm && (features & kAvx2) != 0 && Has(registers.leaf7_ebx, kEbxAvx512)) {
    features |= kAvx512;
  }
  if (Has(registers.leaf7_ecx, kEcxGfni)) features |= kGfni;
  if (Has(registers.hwcap, kHwcapAsimd)) features |= kNeon;
  if ((features & kNeon) != 0 && Has(registers.hwcap, kHwcapSha3)) features |= kNeonSha3;
  return features;
}

CpuModel ModelOf(const CpuRegisters& registers) {
  const uint32_t signature = registers.leaf1_eax;
  uint32_t family = (signature >> 8) & 0xf;
  if (family == 0xf) family += (signature >> 20) & 0xff;
  return {family, ((signature >> 4) & 0xf) | ((signature >> 12) & 0xf0)};
}

bool PrefersNarrowVectors(const CpuRegisters& registers) {
  const CpuModel cpu = ModelOf(registers);
  if (!registers.intel || cpu.family != 6) return false;
  switch (cpu.model) {
    case 0x55:  // Skylake-SP/X, Cascade Lake, Cooper Lake
    case 0x6a:  // Ice Lake-SP
    case 0x6c:  // Ice Lake-D
    case 0x7d:  // Ice Lake
    case 0x7e:  // Ice Lake-L
    case 0x8c:  // Tiger Lake-L
    case 0x8d:  // Tiger Lake
    case 0x9d:  // Ice Lake NNPI
      return true;
    default:
      return false;
  }
}

}  // namespace parity::kernels
