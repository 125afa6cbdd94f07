#include "failure_log.h"

#include <chrono>
#include <optional>

#include "absl/strings/str_cat.h"
#include "identity.h"
#include "parity/log/log.h"
#include "parity/log/trace_parent.h"
#include "parity/wire/status.h"
#include "spdlog/spdlog.h"

namespace parity::rpc {
namespace {

constexpr char kTraceParent[] = "traceparent";
constexpr size_t kMaxMessageBytes = 512;

bool IsEveryday(const absl::Status& status) {
  return wire::RetryDelayOf(status).has_value() || absl::IsCancelled(status) ||
         absl::IsDeadlineExceeded(status) || absl::IsUnavailable(status);
}

}  // namespace

absl::string_view TraceParentOf(const grpc::ServerContext& context) {
  const auto& metadata = context.client_metadata();
  const auto found = metadata.find(kTraceParent);
  if (found == metadata.end()) return {};
  const absl::string_view text(found->second.data(), found->second.size());
  return log::TraceIdOf(text).empty() ? absl::string_view() : text;
}

void ReturnTraceParent(grpc::ServerContext& context) {
  const absl::string_view parent = TraceParentOf(context);
  if (!parent.empty()) context.AddTrailingMetadata(kTraceParent, std::string(parent));
}

void LogFailure(log::LineLimit& limit, absl::string_view op, const absl::Status& status,
                const grpc::ServerContext& context) {
  const auto level = IsEveryday(status) ? spdlog::level::debug : spdlog::level::warn;
  if (!spdlog::should_log(level)) return;
  const std::optional<uint64_t> held_back = limit.Pass(log::LineLimit::Clock::now());
  if (!held_back.has_value()) return;
  log::Write(level, absl::StrCat("request failed: ", status.message().substr(0, kMaxMessageBytes)),
             {{"op", std::string(op)},
              {"code", absl::StatusCodeToString(status.code())},
              {"peer", IdentityOf(context)},
              {"trace_id", std::string(log::TraceIdOf(TraceParentOf(context)))},
              {"more_since", *held_back == 0 ? "" : absl::StrCat(*held_back)}});
}

}  // namespace parity::rpc
