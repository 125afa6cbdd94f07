// What a batch saves: one call for many small jobs instead of one for each.
#ifndef PARITY_KERNELS_BENCH_BATCHING_H_
#define PARITY_KERNELS_BENCH_BATCHING_H_

#include <cstdio>
#include <optional>

#include "absl/status/status.h"
#include "compare.h"
#include "isal.h"

namespace parity::bench {

// Prints nanoseconds a job, for jobs of 64 bytes to 4 KiB: alone, in a batch, and by ISA-L.
absl::Status PrintBatching(std::FILE* to, const Subject& subject, const std::optional<Isal>& isal,
                           int rounds);

}  // namespace parity::bench

#endif  // PARITY_KERNELS_BENCH_BATCHING_H_
