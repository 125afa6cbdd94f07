// The client of the naive yardstick.
#ifndef PARITY_SERVER_BENCH_NAIVE_CLIENT_H_
#define PARITY_SERVER_BENCH_NAIVE_CLIENT_H_

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "grid.h"
#include "load.h"
#include "parity/endpoint/endpoint.h"

namespace parity::bench {

// Closed loops with generated messages and stubs on channels with stock settings, `depth` requests
// outstanding on each of `connections`. Requests a second over `duration`, after a time to warm up.
// DATA_LOSS if an answer is wrong; other errors if a call failed.
//
// For a process of its own: elsewhere the tuned client has changed gRPC's settings.
absl::StatusOr<double> RunNaiveClient(const endpoint::Endpoint& server, Mode mode,
                                      const Workload& workload, int connections, int depth,
                                      absl::Duration duration);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_NAIVE_CLIENT_H_
