// One Process stream on one connection.
#ifndef PARITY_SERVER_BENCH_STREAM_LOAD_H_
#define PARITY_SERVER_BENCH_STREAM_LOAD_H_

#include <memory>

#include "absl/status/statusor.h"
#include "load.h"
#include "parity/endpoint/endpoint.h"

namespace parity::bench {

struct StreamLoadOptions {
  // Requests outstanding, at most.
  int depth = 1;
  // 0: a closed loop. Else an open one: a request is meant to be sent at every 1/rate seconds, and
  // its latency counts from then, however late it is sent. The thread never sleeps, as gRPC's
  // waits are in whole milliseconds.
  double requests_per_s = 0;
  // Where in the data it starts.
  size_t part = 0;
  size_t parts = 1;
};

// UNAVAILABLE if nobody accepts the connection.
absl::StatusOr<std::unique_ptr<Load>> OpenStreamLoad(const endpoint::Endpoint& server,
                                                     const Workload& workload,
                                                     const StreamLoadOptions& options);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_STREAM_LOAD_H_
