// How many of a row's memory accesses are split between two cache lines: counted, not measured.
#ifndef PARITY_KERNELS_BENCH_SPLIT_SHARE_H_
#define PARITY_KERNELS_BENCH_SPLIT_SHARE_H_

#include "grid.h"
#include "parity/kernels/kernel_table.h"
#include "stripe.h"

namespace parity::bench {

// Runs the first 64 KiB of the row once through the kernels' templates, with a vector type that is
// as wide as the table's and counts. Of 0 to 1.
double SplitShare(const kernels::KernelTable& table, const kernels::Tuning& tuning, const Row& row,
                  const Stripe& stripe);

}  // namespace parity::bench

#endif  // PARITY_KERNELS_BENCH_SPLIT_SHARE_H_
