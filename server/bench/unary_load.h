// Encode calls on one connection.
#ifndef PARITY_SERVER_BENCH_UNARY_LOAD_H_
#define PARITY_SERVER_BENCH_UNARY_LOAD_H_

#include <memory>

#include "absl/status/statusor.h"
#include "load.h"
#include "parity/endpoint/endpoint.h"

namespace parity::bench {

struct UnaryLoadOptions {
  int depth = 1;  // calls outstanding: a closed loop
  // A refused call is made again when the server says, or after a pause, and counted in
  // Meter::refused; a call that fails is made again after a pause, and counted in Meter::failed. If
  // false, either ends the load.
  bool goes_on = false;
  // Where in the data it starts.
  size_t part = 0;
  size_t parts = 1;
};

// UNAVAILABLE if nobody accepts the connection.
absl::StatusOr<std::unique_ptr<Load>> OpenUnaryLoad(const endpoint::Endpoint& server,
                                                    const Workload& workload,
                                                    const UnaryLoadOptions& options);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_UNARY_LOAD_H_
