// A line in the log for requests that fail.
#ifndef PARITY_RPC_FAILURE_LOG_H_
#define PARITY_RPC_FAILURE_LOG_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "grpcpp/server_context.h"
#include "parity/log/line_limit.h"

namespace parity::rpc {

// Lines a second about requests that fail, all workers together.
inline constexpr uint32_t kFailureLinesPerSecond = 10;

// Logs what a request of `op` failed with, whose it is, its trace and how many such lines the limit
// has held back since the last one. What a loaded or stopping server refuses, and what the caller
// has called off, is logged at level debug, all else as a warning.
void LogFailure(log::LineLimit& limit, absl::string_view op, const absl::Status& status,
                const grpc::ServerContext& context);

// The call's `traceparent`; empty if it has none that is well-formed.
absl::string_view TraceParentOf(const grpc::ServerContext& context);

// Sends the call's `traceparent` back, if it has one. Before the call is answered.
void ReturnTraceParent(grpc::ServerContext& context);

}  // namespace parity::rpc

#endif  // PARITY_RPC_FAILURE_LOG_H_
