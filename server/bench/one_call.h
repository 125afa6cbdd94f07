// A connection that is used once and kept.
#ifndef PARITY_SERVER_BENCH_ONE_CALL_H_
#define PARITY_SERVER_BENCH_ONE_CALL_H_

#include <memory>

#include "absl/status/statusor.h"
#include "load.h"
#include "parity/endpoint/endpoint.h"

namespace parity::bench {

class GrpcConnection;

// Connects and makes one Encode call. The connection is closed when the last reference goes.
// UNAVAILABLE if nobody accepts, DATA_LOSS if the answer is wrong, or what the call failed with.
absl::StatusOr<std::shared_ptr<GrpcConnection>> OpenAndCallOnce(const endpoint::Endpoint& server,
                                                                const Workload& workload);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_ONE_CALL_H_
