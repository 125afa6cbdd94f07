// absl::Status on the inside, google.rpc.Status on the outside.
#ifndef PARITY_WIRE_STATUS_H_
#define PARITY_WIRE_STATUS_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "grpcpp/support/status.h"
#include "parity/status/v1/status.pb.h"

namespace parity::wire {

// RESOURCE_EXHAUSTED that asks to try again after `retry_delay`.
absl::Status Overloaded(absl::string_view message, absl::Duration retry_delay);
// The delay that such a status asks for.
std::optional<absl::Duration> RetryDelayOf(const absl::Status& status);

// The same code and message. A field (codec::FieldOf) becomes a google.rpc.BadRequest in the
// details, a delay a google.rpc.RetryInfo.
grpc::Status ToGrpc(const absl::Status& status);
// The same as the message of google.rpc.
status::v1::Status ToProto(const absl::Status& status);

// The inverses. A code that is none of gRPC's becomes UNKNOWN.
absl::Status FromGrpc(const grpc::Status& status);
absl::Status FromProto(const status::v1::Status& status);

}  // namespace parity::wire

#endif  // PARITY_WIRE_STATUS_H_
