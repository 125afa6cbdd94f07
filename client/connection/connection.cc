#include "parity/client/connection.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "grpc_coder.h"
#include "parity/codec/batch.h"
#include "parity/codec/codec.h"
#include "parity/codec/field_error.h"
#include "parity/endpoint/endpoint.h"
#include "parity/kernels/dispatch.h"
#include "parity/wire/status.h"
#include "shm_coder.h"
#include "stripe_run.h"
#include "tls.h"

namespace parity::client {
namespace {

// How long to leave a server alone if gRPC, not the server itself, has refused a call for want of
// memory.
constexpr absl::Duration kDelayWithoutAdvice = absl::Milliseconds(20);

// What is wrong with the arguments of a stripe that the server has refused. A ring says little more
// than that; the codec here, asked for the same, says what, and computes nothing.
absl::Status Explain(const absl::Status& refusal, const Request& request) {
  const absl::StatusOr<const kernels::KernelTable*> table = kernels::SelectTable("auto");
  if (!table.ok()) return refusal;
  std::vector<codec::Segment> segments;
  for (const ShardBytes shard : request.shards) segments.push_back({shard.data(), shard.size()});
  std::vector<codec::Shard> shards;
  for (const codec::Segment& segment : segments) shards.emplace_back(&segment, 1);
  const absl::Span<const codec::Shard> all = shards;
  const size_t bytes = request.shard_bytes;
  const codec::Codec codec(request.geometry);
  codec::Batch never_run(**table);
  absl::Status found;
  switch (request.operation) {
    case Operation::kEncode:
      found = codec.Encode(all, bytes, request.outputs, never_run);
      break;
    case Operation::kReconstruct:
      found = codec.Reconstruct(request.indices, all, bytes, request.wanted, request.outputs,
                                never_run);
      break;
    case Operation::kVerify:
      break;
    case Operation::kUpdate:
      found = codec.Update(request.indices, all.first(request.indices.size()),
                           all.subspan(request.indices.size()), bytes, request.outputs, never_run);
      break;
  }
  return found.ok() ? refusal : found;
}

// Over gRPC, and by shared memory where it can be had.
class ServerConnection final : public Connection {
 public:
  ServerConnection(const endpoint::Endpoint& server, const ConnectionOptions& options)
      : grpc_(server, options) {
    if (server.is_unix() && options.region_bytes > 0) shm_.emplace(server.ToString(), options);
  }

  absl::Status Run(const Request& request, const CallOptions& options) override {
    absl::Status checked = CheckRequest(request);
    checked.Update(CheckTraceparent(options));
    if (!checked.ok()) return checked;
    if (options.cancellation != nullptr && options.cancellation->is_cancelled()) {
      return absl::CancelledError("cancelled");
    }
    if (!shm_.has_value()) return grpc_.Run(request, options);
    StripeRun run(request);
    if (const auto ended = RunShared(run, options.deadline); ended.has_value()) {
      if (!ended->ok() && request.done != nullptr) *request.done = run.done();
      return *ended;
    }
    const size_t done = run.done();
    if (done == 0) return Inline(grpc_.Run(request, options));
    const RequestSlice rest(request, done, request.shard_bytes);
    absl::Status status = Inline(grpc_.Run(rest.request(), options));
    if (status.ok()) {
      rest.MergeReport();
    } else if (request.done != nullptr) {
      *request.done = done;
    }
    return status;
  }

  absl::StatusOr<ServerInfo> GetServerInfo(const CallOptions& options) override {
    if (absl::Status status = CheckTraceparent(options); !status.ok()) return status;
    return grpc_.GetServerInfo(options);
  }

  absl::StatusOr<Buffer> Allocate(size_t bytes, const CallOptions& options) override {
    if (!shm_.has_value()) return AllocateBuffer(bytes);
    return shm_->Allocate(bytes, options.deadline);
  }

  uint64_t MaxRequestBytes() override {
    return shm_.has_value() && shm_->IsUsable() ? UINT64_MAX : grpc_.max_request_bytes();
  }

  absl::Time Tick(absl::Time now) override { return grpc_.Tick(now); }

 private:
  // How the stripe ended; unset if what is left of it is to go over gRPC.
  std::optional<absl::Status> RunShared(StripeRun& run, absl::Time deadline) {
    std::optional<absl::Status> ended = shm_->Run(run, deadline);
    if (!ended.has_value() || ended->ok()) return ended;
    const bool refused = absl::IsInvalidArgument(*ended) || absl::IsFailedPrecondition(*ended);
    return refused ? Explain(*ended, run.request()) : *ended;
  }

  // Passes on how a call over gRPC has ended.
  absl::Status Inline(absl::Status status) {
    const bool answered = !absl::IsUnavailable(status) && !absl::IsDeadlineExceeded(status);
    if (answered && !absl::IsCancelled(status)) shm_->AnsweredInline();
    return status;
  }

  GrpcCoder grpc_;
  std::optional<ShmCoder> shm_;
};

}  // namespace

std::optional<absl::Duration> RetryDelayOf(const absl::Status& error) {
  if (!absl::IsResourceExhausted(error) || codec::FieldOf(error).has_value()) return std::nullopt;
  return wire::RetryDelayOf(error).value_or(kDelayWithoutAdvice);
}

absl::Status OverloadedError(absl::string_view message, absl::Duration retry_delay) {
  return wire::Overloaded(message, retry_delay);
}

absl::StatusOr<std::unique_ptr<Connection>> MakeConnection(const std::string& field,
                                                           const std::string& address,
                                                           const ConnectionOptions& options) {
  const absl::StatusOr<endpoint::Endpoint> server = endpoint::Parse(field, address);
  if (!server.ok()) return server.status();
  if (absl::Status status = CheckTls(options.tls); !status.ok()) return status;
  return std::make_unique<ServerConnection>(*server, options);
}

}  // namespace parity::client
