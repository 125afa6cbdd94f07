#include "parity/kernels/tuning.h"

#include <cstdint>

namespace parity::kernels {
namespace {

constexpr size_t kKiB = 1024;
constexpr size_t kMiB = 1024 * kKiB;
constexpr size_t kNever = SIZE_MAX;

constexpr Tuning kRapids = {
    "Intel Emerald Rapids, 2 MiB of L2", 512, 4 * kKiB, 512, 16 * kKiB, 2 * kMiB, 2 * kMiB,
};
constexpr Tuning kZen4 = {
    "AMD Zen 4, 1 MiB of L2", 1000, 4 * kKiB, 1 * kKiB, kNever, 1 * kMiB, 12 * kMiB,
};
constexpr Tuning kOthers = {
    "none of its kind", 1000, 4 * kKiB, 1 * kKiB, 16 * kKiB, 4 * kMiB, 12 * kMiB,
};

bool IsRapids(CpuModel cpu) {
  return cpu.family == 6 && (cpu.model == 0x8f || cpu.model == 0xcf);  // Sapphire, Emerald
}

bool IsZen4(CpuModel cpu) {
  return cpu.family == 0x19 &&
         ((cpu.model >= 0x10 && cpu.model <= 0x1f) || (cpu.model >= 0x60 && cpu.model <= 0x7f) ||
          (cpu.model >= 0xa0 && cpu.model <= 0xaf));
}

}  // namespace

const Tuning& TuningFor(const CpuRegisters& registers) {
  const CpuModel cpu = ModelOf(registers);
  if (registers.intel && IsRapids(cpu)) return kRapids;
  if (!registers.intel && IsZen4(cpu)) return kZen4;
  return kOthers;
}

const Tuning& HostTuning() {
  static const Tuning& tuning = TuningFor(ReadCpuRegisters());
  return tuning;
}

}  // namespace parity::kernels
