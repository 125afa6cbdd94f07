// absl::Status on the inside, google.rpc.Status on the outside.
#ifndef PARITY_WIRE_STATUS_H_
#define PARITY_WIRE_STATUS_H_

#include "absl/status/status.h"
#include "grpcpp/support/status.h"

namespace parity::wire {

// The same code and message. A field (codec::FieldOf) becomes a google.rpc.BadRequest in the
// details.
grpc::Status ToGrpc(const absl::Status& status);

// The inverse. A code that is none of gRPC's becomes UNKNOWN.
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace parity::wire

#endif  // PARITY_WIRE_STATUS_H_
