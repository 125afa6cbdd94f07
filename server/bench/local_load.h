// The yardstick of shared memory: the same jobs in this process.
#ifndef PARITY_SERVER_BENCH_LOCAL_LOAD_H_
#define PARITY_SERVER_BENCH_LOCAL_LOAD_H_

#include <memory>

#include "load.h"
#include "slots.h"

namespace parity::bench {

// Computes the parity of one slot after the other by `table`, on the thread that also prepares and
// reads them. Latencies are not recorded. `slots` outlives it.
std::unique_ptr<Load> MakeLocalLoad(const ShmRow& row, const kernels::KernelTable& table,
                                    Slots& slots);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_LOCAL_LOAD_H_
