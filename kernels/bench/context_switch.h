// What vector registers that are left dirty cost when the kernel switches threads.
#ifndef PARITY_KERNELS_BENCH_CONTEXT_SWITCH_H_
#define PARITY_KERNELS_BENCH_CONTEXT_SWITCH_H_

#include <cstdio>

#include "absl/status/status.h"

namespace parity::bench {

// Prints nanoseconds a switch between two threads on one CPU, by pipes and by a futex, with clear
// and with dirty registers, and what clearing costs. UNAVAILABLE if the threads cannot be pinned.
absl::Status PrintContextSwitches(std::FILE* to, int rounds);

}  // namespace parity::bench

#endif  // PARITY_KERNELS_BENCH_CONTEXT_SWITCH_H_
