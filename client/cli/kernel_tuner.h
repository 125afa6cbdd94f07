// Finds the values of a Tuning for the CPU this runs on.
//
// Key decision: each field is a size from which on one way replaces another, so both ways are timed
// at every size that the field may have, and the field becomes the size at which changing over
// takes the least time in all.
#ifndef PARITY_CLI_KERNEL_TUNER_H_
#define PARITY_CLI_KERNEL_TUNER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "parity/kernels/kernel_table.h"

namespace parity::cli {

struct TunedField {
  const char* name;
  size_t value;    // in bytes; SIZE_MAX: the way never pays
  size_t current;  // what HostTuning() has
  // How many times as fast the way makes jobs from `value` on, and how many times as fast `value`
  // makes jobs of all sizes measured than `current` does; geometric means.
  double gain;
  double gain_over_current;
};

// Every field of Tuning, in order. Takes some ten seconds, and 128 MiB of memory.
std::vector<TunedField> TuneKernels(const kernels::KernelTable& table);

// The fields as an initializer for kernels/isa/tuning.cc.
std::string TuningRow(const std::string& measured_on, const std::vector<TunedField>& fields);

}  // namespace parity::cli

#endif  // PARITY_CLI_KERNEL_TUNER_H_
