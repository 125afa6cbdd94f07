// One Process stream on one connection.
#ifndef PARITY_SERVER_BENCH_STREAM_LOAD_H_
#define PARITY_SERVER_BENCH_STREAM_LOAD_H_

#include <chrono>
#include <memory>

#include "absl/status/statusor.h"
#include "load.h"
#include "parity/endpoint/endpoint.h"

namespace parity::bench {

inline constexpr std::chrono::microseconds kBurstInterval{250};

struct StreamLoadOptions {
  // Requests outstanding, at most.
  int depth = 1;
  // 0: a closed loop. Else an open one: requests are meant to be sent in bursts, one every
  // kBurstInterval, and their latency counts from then, however late they are sent. One by one, the
  // system calls of the client alone would take all its time. The thread never sleeps, as gRPC's
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
