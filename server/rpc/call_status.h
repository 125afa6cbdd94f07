// What calls and streams say when they cannot do what they were asked.
#ifndef PARITY_RPC_CALL_STATUS_H_
#define PARITY_RPC_CALL_STATUS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "grpcpp/server_context.h"

namespace parity::rpc {

// RESOURCE_EXHAUSTED, naming "message".
absl::Status TooLong(uint64_t message_bytes, uint64_t limit_bytes);

// DEADLINE_EXCEEDED if the call's deadline has passed. Cost: reads the clock, if it has one.
absl::Status CheckDeadline(const grpc::ServerContext& context);

// If the status says when to try again, tells clients whose gRPC retries by itself.
void AddPushback(const absl::Status& status, grpc::ServerContext& context);

}  // namespace parity::rpc

#endif  // PARITY_RPC_CALL_STATUS_H_
