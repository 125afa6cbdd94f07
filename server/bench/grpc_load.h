// The tuned gRPC client, on any number of connections.
#ifndef PARITY_SERVER_BENCH_GRPC_LOAD_H_
#define PARITY_SERVER_BENCH_GRPC_LOAD_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "grid.h"
#include "load.h"
#include "parity/endpoint/endpoint.h"

namespace parity::bench {

// Closed loops with `depth` requests outstanding on each connection, which has a completion queue
// and a thread of its own. UNAVAILABLE if nobody accepts.
absl::StatusOr<std::vector<std::unique_ptr<Load>>> OpenGrpcLoads(const endpoint::Endpoint& server,
                                                                 Mode mode,
                                                                 const Workload& workload,
                                                                 int connections, int depth);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_GRPC_LOAD_H_
