#include "call_status.h"

#include <chrono>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "parity/codec/field_error.h"
#include "parity/wire/status.h"

namespace parity::rpc {

absl::Status TooLong(uint64_t message_bytes, uint64_t limit_bytes) {
  return codec::FieldError(absl::StatusCode::kResourceExhausted, "message",
                           absl::StrCat(message_bytes, " bytes"),
                           absl::StrCat("at most ", limit_bytes, ": send the stripe as slices"));
}

absl::Status CheckDeadline(const grpc::ServerContext& context) {
  const auto deadline = context.deadline();
  if (deadline == std::chrono::system_clock::time_point::max() ||
      std::chrono::system_clock::now() < deadline) {
    return absl::OkStatus();
  }
  return absl::DeadlineExceededError("the deadline passed before the stripe was computed");
}

void AddPushback(const absl::Status& status, grpc::ServerContext& context) {
  const std::optional<absl::Duration> delay = wire::RetryDelayOf(status);
  if (!delay.has_value()) return;
  context.AddTrailingMetadata("grpc-retry-pushback-ms",
                              absl::StrCat(absl::ToInt64Milliseconds(*delay)));
}

}  // namespace parity::rpc
