#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "parity/client/fake_connection.h"
#include "parity/client/local_coder.h"
#include "parity/codec/field_error.h"

namespace parity::client {
namespace {

constexpr std::chrono::minutes kPatience(1);

absl::Status IsDead() { return absl::UnavailableError("the fake server is dead"); }

// Whether a call has to end.
absl::Status CheckEnded(const CallOptions& options) {
  if (options.cancellation != nullptr && options.cancellation->is_cancelled()) {
    return absl::CancelledError("cancelled");
  }
  if (options.deadline != absl::InfiniteFuture() && absl::Now() >= options.deadline) {
    return absl::DeadlineExceededError("the fake server did not answer in time");
  }
  return absl::OkStatus();
}

}  // namespace

FakeServer::FakeServer(Coder* coder)
    : local_(coder == nullptr ? *MakeLocalCoder() : nullptr),
      coder_(coder == nullptr ? *local_ : *coder) {
  info_.version = "fake";
  info_.kernels = "fake";
}

void FakeServer::Next(FakeOutcome outcome, int calls) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (calls > 0) next_.emplace_back(std::move(outcome), calls);
}

void FakeServer::Otherwise(FakeOutcome outcome) {
  Otherwise([outcome = std::move(outcome)](const Request&) { return outcome; });
}

void FakeServer::Otherwise(std::function<FakeOutcome(const Request&)> decide) {
  const std::lock_guard<std::mutex> lock(mutex_);
  otherwise_ = std::move(decide);
}

void FakeServer::Die() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_dead_ = true;
  ++deaths_;
  changed_.notify_all();
}

void FakeServer::Revive() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_dead_ = false;
}

void FakeServer::Release(int calls) {
  const std::lock_guard<std::mutex> lock(mutex_);
  released_ += calls;
  changed_.notify_all();
}

void FakeServer::ReleaseAll() {
  const std::lock_guard<std::mutex> lock(mutex_);
  all_released_ = true;
  changed_.notify_all();
}

bool FakeServer::AwaitCalls(int calls) {
  std::unique_lock<std::mutex> lock(mutex_);
  return changed_.wait_for(lock, kPatience,
                           [&] { return calls_.size() >= static_cast<size_t>(calls); });
}

bool FakeServer::AwaitWaiting(int calls) {
  std::unique_lock<std::mutex> lock(mutex_);
  return changed_.wait_for(lock, kPatience,
                           [&] { return waiting_.size() >= static_cast<size_t>(calls); });
}

void FakeServer::SetMaxRequestBytes(uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  max_request_bytes_ = bytes;
}

void FakeServer::SetInfo(ServerInfo info) {
  const std::lock_guard<std::mutex> lock(mutex_);
  info_ = std::move(info);
}

std::vector<FakeServer::Call> FakeServer::calls() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return calls_;
}

int FakeServer::calls_under_way() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return under_way_;
}

int FakeServer::most_at_once() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return most_at_once_;
}

uint64_t FakeServer::bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return bytes_;
}

int FakeServer::refused_calls() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return refused_calls_;
}

int FakeServer::connections() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return connections_;
}

absl::Status FakeServer::Run(const Request& request, const CallOptions& options) {
  if (absl::Status status = CheckRequest(request); !status.ok()) return status;
  if (absl::Status status = CheckEnded(options); !status.ok()) return status;
  const absl::StatusOr<Begun> begun = Begin(request, options);
  if (!begun.ok()) return begun.status();
  absl::Status status = Go(*begun, request, options);
  const std::lock_guard<std::mutex> lock(mutex_);
  --under_way_;
  return status;
}

absl::StatusOr<ServerInfo> FakeServer::GetServerInfo(const CallOptions& options) const {
  if (absl::Status status = CheckEnded(options); !status.ok()) return status;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_dead_) return IsDead();
  return info_;
}

absl::StatusOr<FakeServer::Begun> FakeServer::Begin(const Request& request,
                                                    const CallOptions& options) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_dead_) {
    ++refused_calls_;
    return IsDead();
  }
  const uint64_t bytes = BytesOf(request);
  calls_.push_back({request.operation, request.shard_bytes, bytes, options.deadline});
  bytes_ += bytes;
  most_at_once_ = std::max(most_at_once_, ++under_way_);
  changed_.notify_all();
  if (bytes > max_request_bytes_) {
    return Begun{FakeOutcome::Fails(codec::FieldError(
                     absl::StatusCode::kResourceExhausted, "message", absl::StrCat(bytes, " bytes"),
                     absl::StrCat("at most ", max_request_bytes_))),
                 deaths_};
  }
  if (next_.empty()) {
    return Begun{otherwise_ == nullptr ? FakeOutcome::Succeeds() : otherwise_(request), deaths_};
  }
  Begun begun{next_.front().first, deaths_};
  if (--next_.front().second == 0) next_.pop_front();
  return begun;
}

absl::Status FakeServer::Go(const Begun& begun, const Request& request,
                            const CallOptions& options) {
  if (begun.outcome.waits) {
    if (absl::Status status = Wait(begun, options); !status.ok()) return status;
  }
  if (begun.outcome.dies) Die();
  if (HasDied(begun)) return IsDead();
  absl::Status status = Compute(begun.outcome, request, options);
  return HasDied(begun) ? IsDead() : status;
}

absl::Status FakeServer::Wait(const Begun& begun, const CallOptions& options) {
  const bool ends = !begun.outcome.ignores_deadline;
  // Before the lock: the listener's end waits for its callback, which takes the lock.
  const Cancellation::Listener listener(options.cancellation, [this] {
    const std::lock_guard<std::mutex> lock(mutex_);
    changed_.notify_all();
  });
  std::unique_lock<std::mutex> lock(mutex_);
  const uint64_t ticket = waits_begun_++;
  waiting_.push_back(ticket);
  changed_.notify_all();
  absl::Status status;
  for (;;) {
    if (deaths_ != begun.deaths) {
      status = IsDead();
      break;
    }
    if (ends) status = CheckEnded(options);
    if (!status.ok() || all_released_) break;
    if (released_ > 0 && waiting_.front() == ticket) {
      --released_;
      break;
    }
    if (ends && options.deadline != absl::InfiniteFuture()) {
      changed_.wait_until(lock, absl::ToChronoTime(options.deadline));
    } else {
      changed_.wait(lock);
    }
  }
  waiting_.erase(std::find(waiting_.begin(), waiting_.end(), ticket));
  changed_.notify_all();  // another is the first now
  return status;
}

absl::Status FakeServer::Compute(const FakeOutcome& outcome, const Request& request,
                                 const CallOptions& options) {
  const bool fails = !outcome.status.ok();
  const size_t bytes = fails ? std::min(outcome.done, request.shard_bytes) : request.shard_bytes;
  if (bytes > 0) {
    const CallOptions until_done{
        outcome.ignores_deadline ? absl::InfiniteFuture() : options.deadline,
        outcome.ignores_deadline ? nullptr : options.cancellation};
    const RequestSlice slice(request, 0, bytes);
    if (absl::Status status = coder_.Run(slice.request(), until_done); !status.ok()) return status;
    slice.MergeReport();
  }
  if (fails) {
    if (request.done != nullptr) *request.done = bytes;
    return outcome.status;
  }
  if (outcome.corrupts.has_value()) {
    const auto [output, offset] = *outcome.corrupts;
    if (output >= request.outputs.size() || offset >= request.shard_bytes) {
      return absl::InternalError(absl::StrCat("there is no byte ", offset, " of output ", output,
                                              " for the fake server to corrupt"));
    }
    request.outputs[output][offset] ^= 0xff;
  }
  return absl::OkStatus();
}

bool FakeServer::HasDied(const Begun& begun) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return deaths_ != begun.deaths;
}

}  // namespace parity::client
