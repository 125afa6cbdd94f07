// A row as a job of a kernel table.
#ifndef PARITY_KERNELS_BENCH_OUR_KERNELS_H_
#define PARITY_KERNELS_BENCH_OUR_KERNELS_H_

#include "grid.h"
#include "parity/kernels/kernel_table.h"
#include "parity/timing/timing.h"
#include "stripe.h"

namespace parity::bench {

// The row's work as jobs for the table, up to `most` of them in a batch. The table, the tuning and
// the stripe must stay where they are as long as the call is used.
timing::Call OurCall(const kernels::KernelTable& table, const kernels::Tuning& tuning,
                     const Row& row, size_t most, Stripe& stripe);

// Computes the parity that a verifying row expects.
void GenerateParity(const kernels::KernelTable& table, const kernels::Tuning& tuning,
                    const Row& row, Stripe& stripe);

}  // namespace parity::bench

#endif  // PARITY_KERNELS_BENCH_OUR_KERNELS_H_
