// Connections of the bench to the servers that it has started.
#ifndef PARITY_SERVER_BENCH_CONNECT_H_
#define PARITY_SERVER_BENCH_CONNECT_H_

#include "absl/status/statusor.h"
#include "parity/endpoint/endpoint.h"

namespace parity::bench {

// A blocking socket, tuned as the product's, that the caller closes. The host of a TCP endpoint is
// an IPv4 address. UNAVAILABLE, naming the endpoint, if nobody accepts.
absl::StatusOr<int> Connect(const endpoint::Endpoint& endpoint);

// A listening socket; a port of 0 takes any free one, which is then in `endpoint`. The caller
// closes it. UNAVAILABLE, naming the endpoint, if it cannot be listened on.
absl::StatusOr<int> Listen(endpoint::Endpoint& endpoint);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_CONNECT_H_
