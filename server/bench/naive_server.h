// The service as one writes it with gRPC's examples at hand: the third yardstick.
#ifndef PARITY_SERVER_BENCH_NAIVE_SERVER_H_
#define PARITY_SERVER_BENCH_NAIVE_SERVER_H_

#include <vector>

#include "absl/status/status.h"
#include "parity/endpoint/endpoint.h"
#include "parity/kernels/kernel_table.h"

namespace parity::bench {

// Encode and Process (encode only) by the callback API with generated messages, and with gRPC's
// stock settings but for the limit of message lengths; the kernels are the product's. Serves until
// the process is killed. Says on standard error where it listens, then "ready". Returns only if it
// cannot.
absl::Status RunNaiveServer(const std::vector<endpoint::Endpoint>& endpoints,
                            const kernels::KernelTable& table);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_NAIVE_SERVER_H_
