#include "unary_load.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "encode_exchange.h"
#include "grpc_connection.h"
#include "grpcpp/client_context.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/support/async_unary_call.h"
#include "parity_checker.h"

namespace parity::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

constexpr char kMethod[] = "Encode";
constexpr char kPushback[] = "grpc-retry-pushback-ms";

constexpr Milliseconds kPauseAfterFailure{100};

struct Call {
  std::optional<grpc::ClientContext> context;
  std::unique_ptr<grpc::ClientAsyncResponseReader<grpc::ByteBuffer>> reader;
  grpc::ByteBuffer response;
  grpc::Status status;
  const uint8_t* sources = nullptr;
  Clock::time_point start;  // of the first attempt
};

// When a refused call may be made again; nothing if it was not refused so.
std::optional<Milliseconds> PushbackOf(const Call& call) {
  if (call.status.error_code() != grpc::StatusCode::RESOURCE_EXHAUSTED) return std::nullopt;
  const auto& trailers = call.context->GetServerTrailingMetadata();
  const auto found = trailers.find(kPushback);
  int64_t ms = 0;
  if (found == trailers.end() ||
      !absl::SimpleAtoi(absl::string_view(found->second.data(), found->second.size()), &ms) ||
      ms < 0) {
    return std::nullopt;
  }
  return Milliseconds(ms);
}

class UnaryLoad final : public Load {
 public:
  UnaryLoad(std::shared_ptr<GrpcConnection> connection, const Workload& workload,
            const UnaryLoadOptions& options)
      : connection_(std::move(connection)),
        options_(options),
        exchange_(workload.job),
        checker_(workload.job, *workload.table),
        cursor_(workload.sources, workload.job.source_bytes(), options.part, options.parts),
        calls_(static_cast<size_t>(options.depth)) {}

  absl::Status Run(const LoadControl& control, Meter& meter) override {
    for (Call& call : calls_) Begin(call);
    absl::Status result;
    while (true) {
      const bool stopping = !result.ok() || control.stopping.load(std::memory_order_relaxed);
      if (stopping) waiting_.clear();
      BeginDue();
      if (outstanding_ == 0 && waiting_.empty()) break;
      Call* call = NextEnded();
      if (call == nullptr) {
        if (!waiting_.empty()) continue;
        result.Update(NoAnswer(kMethod));
        Cancel();
        continue;
      }
      result.Update(Ended(*call, control, meter));
      if (result.ok() && !stopping && call->reader == nullptr) Begin(*call);
    }
    queue_.Shutdown();
    NextEnded();  // says that nothing is left
    return result;
  }

 private:
  // A call with the next data.
  void Begin(Call& call) {
    call.sources = cursor_.Next();
    call.start = Clock::now();
    Send(call);
  }

  void Send(Call& call) {
    call.context.emplace();
    call.response.Clear();
    call.reader = connection_->stub().PrepareUnaryCall(
        &*call.context, path_, exchange_.UnaryRequest(call.sources), &queue_);
    call.reader->StartCall();
    call.reader->Finish(&call.response, &call.status, &call);
    ++outstanding_;
  }

  // The next call that has ended, or null if one that waits is due first, or nothing has come for
  // kPatience.
  Call* NextEnded() {
    const auto now = std::chrono::system_clock::now();
    auto deadline = now + kPatience;
    if (!waiting_.empty()) {
      deadline = now + std::chrono::duration_cast<std::chrono::system_clock::duration>(
                           waiting_.begin()->first - Clock::now());
    }
    void* tag = nullptr;
    bool ok;
    if (queue_.AsyncNext(&tag, &ok, deadline) != grpc::CompletionQueue::GOT_EVENT) return nullptr;
    --outstanding_;
    return static_cast<Call*>(tag);
  }

  // Makes every outstanding call end.
  void Cancel() {
    for (Call& call : calls_) {
      if (call.reader != nullptr) call.context->TryCancel();
    }
  }

  void BeginDue() {
    while (!waiting_.empty() && waiting_.begin()->first <= Clock::now()) {
      Call& call = *waiting_.begin()->second;
      waiting_.erase(waiting_.begin());
      Send(call);
    }
  }

  // Counts what a call came to. Afterwards the call waits to be made again, or has no reader.
  absl::Status Ended(Call& call, const LoadControl& control, Meter& meter) {
    const bool recording = control.recording.load(std::memory_order_relaxed);
    if (call.status.ok()) {
      call.reader.reset();
      absl::Status status = exchange_.ReadUnary(call.response, answer_);
      if (status.ok()) status = checker_.Check(answer_.parity, call.sources);
      if (!status.ok()) return status;
      meter.answers.fetch_add(1, std::memory_order_relaxed);
      if (recording) {
        meter.latencies.Record(static_cast<uint64_t>((Clock::now() - call.start).count()));
      }
      return absl::OkStatus();
    }
    if (!options_.goes_on) return CallFailed(kMethod, call.status);
    const std::optional<Milliseconds> pushback = PushbackOf(call);
    const bool refused = call.status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED;
    (refused ? meter.refused : meter.failed).fetch_add(1, std::memory_order_relaxed);
    waiting_.emplace(Clock::now() + pushback.value_or(kPauseAfterFailure), &call);
    return absl::OkStatus();
  }

  const std::shared_ptr<GrpcConnection> connection_;
  const UnaryLoadOptions options_;
  const std::string path_ = PathOf(kMethod);
  EncodeExchange exchange_;
  ParityChecker checker_;
  SourceCursor cursor_;
  Answer answer_;
  grpc::CompletionQueue queue_;
  std::vector<Call> calls_;
  std::multimap<Clock::time_point, Call*> waiting_;  // by when they are made again
  size_t outstanding_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Load>> OpenUnaryLoad(const endpoint::Endpoint& server,
                                                    const Workload& workload,
                                                    const UnaryLoadOptions& options) {
  absl::StatusOr<std::shared_ptr<GrpcConnection>> connection = GrpcConnection::Open(server);
  if (!connection.ok()) return connection.status();
  return std::make_unique<UnaryLoad>(*std::move(connection), workload, options);
}

}  // namespace parity::bench
