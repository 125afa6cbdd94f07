// The client of the bare-socket yardstick.
#ifndef PARITY_SERVER_BENCH_SOCKET_LOAD_H_
#define PARITY_SERVER_BENCH_SOCKET_LOAD_H_

#include <memory>

#include "absl/status/statusor.h"
#include "load.h"
#include "parity/endpoint/endpoint.h"

namespace parity::bench {

struct SocketLoadOptions {
  int depth = 1;   // requests outstanding: a closed loop
  int gather = 1;  // messages that client and server put into one write, at most
  // Where in the data it starts.
  size_t part = 0;
  size_t parts = 1;
};

// Sends and receives on one thread, as one completion queue does. UNAVAILABLE if nobody accepts the
// connection.
absl::StatusOr<std::unique_ptr<Load>> OpenSocketLoad(const endpoint::Endpoint& server,
                                                     const Workload& workload,
                                                     const SocketLoadOptions& options);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_SOCKET_LOAD_H_
