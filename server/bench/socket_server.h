// The server of the bare-socket yardstick.
#ifndef PARITY_SERVER_BENCH_SOCKET_SERVER_H_
#define PARITY_SERVER_BENCH_SOCKET_SERVER_H_

#include <vector>

#include "absl/status/status.h"
#include "parity/endpoint/endpoint.h"
#include "parity/kernels/kernel_table.h"

namespace parity::bench {

// Serves until the process is killed: a blocking thread for each connection, which reads as much as
// there is, computes, and answers. Says on standard error where it
// listens, then "ready". Returns only if it cannot.
absl::Status RunSocketServer(std::vector<endpoint::Endpoint> endpoints,
                             const kernels::KernelTable& table);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_SOCKET_SERVER_H_
