// Whether a server that runs elsewhere serves.
#ifndef PARITY_SERVER_PROBE_H_
#define PARITY_SERVER_PROBE_H_

#include "absl/status/status.h"
#include "parity/rpc/server.h"

namespace parity {

// Asks the server that was started with these options, by grpc.health.v1: on its first Unix socket,
// else on its first TCP address, unless that is encrypted. OK if it says SERVING within 5 s; else
// what it said, or what kept it from saying anything.
absl::Status Probe(const rpc::ServerOptions& server);

}  // namespace parity

#endif  // PARITY_SERVER_PROBE_H_
