// From which sizes on the kernels change their ways, as data.
//
// Key decision: a Tuning is an argument of every kernel, not a global, so a test can force each way
// at any size and a tuner can measure one value against another.
#ifndef PARITY_KERNELS_TUNING_H_
#define PARITY_KERNELS_TUNING_H_

#include <cstddef>

#include "parity/kernels/cpu_features.h"

namespace parity::kernels {

// Sizes in bytes; "from" includes the size itself. SIZE_MAX: never.
struct Tuning {
  const char* measured_on;  // the CPU that the values were measured on

  // Align the stores of a run of this length by a short first step: if that aligns all its
  // pointers, and in any case.
  size_t xor_align_all_from;
  size_t xor_align_any_from;
  size_t gf_align_all_from;
  size_t gf_align_any_from;

  // Write past the caches, from this many bytes of sources and outputs together.
  size_t xor_stream_from;
  size_t gf_stream_from;  // P+Q too
};

// The values measured on the kind of CPU that these registers are of, else those that do well on
// all that were measured.
const Tuning& TuningFor(const CpuRegisters& registers);

// The values for the CPU this runs on. Cost: reads CPUID on the first call.
const Tuning& HostTuning();

}  // namespace parity::kernels

#endif  // PARITY_KERNELS_TUNING_H_
