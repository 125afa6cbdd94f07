#include "hedge.h"

#include <cstring>
#include <utility>

#include "absl/status/statusor.h"

namespace parity::client {

Hedge::Hedge(const Request& request, const CallOptions& options)
    : request_(request), options_(options), on_cancel_(options.cancellation, [this] {
        cancel_first_.Cancel();
        cancel_second_.Cancel();
      }) {}

void Hedge::RunFirst(const Attempt& attempt) {
  absl::Status status =
      attempt(request_, {options_.deadline, &cancel_first_, options_.traceparent});
  if (status.ok()) cancel_second_.Cancel();
  const std::lock_guard<std::mutex> lock(mutex_);
  first_ = std::move(status);
  ended_.notify_all();  // under the lock: all may be gone once it is released
}

bool Hedge::AwaitFirst(absl::Time until) {
  std::unique_lock<std::mutex> lock(mutex_);
  return ended_.wait_until(lock, absl::ToChronoTime(until), [this] { return first_.has_value(); });
}

void Hedge::RunSecond(const Attempt& attempt) {
  const size_t bytes = request_.shard_bytes;
  absl::StatusOr<Buffer> memory = AllocateBuffer(bytes * request_.outputs.size());
  if (!memory.ok()) return;
  memory_ = *std::move(memory);
  std::vector<uint8_t*> outputs;
  for (size_t i = 0; i < request_.outputs.size(); ++i) {
    outputs.push_back(memory_.data() + i * bytes);
  }
  Request request = request_;
  request.outputs = outputs;
  request.report = &second_report_;
  request.done = nullptr;
  second_ = attempt(request, {options_.deadline, &cancel_second_, options_.traceparent});
  if (second_->ok()) cancel_first_.Cancel();
}

absl::Status Hedge::AwaitBoth() {
  std::unique_lock<std::mutex> lock(mutex_);
  ended_.wait(lock, [this] { return first_.has_value(); });
  if (first_->ok() || !second_.has_value() || !second_->ok()) return *first_;
  second_won_ = true;
  if (request_.report != nullptr) *request_.report = std::move(second_report_);
  for (size_t i = 0; i < request_.outputs.size(); ++i) {
    std::memcpy(request_.outputs[i], memory_.data() + i * request_.shard_bytes,
                request_.shard_bytes);
  }
  return absl::OkStatus();
}

}  // namespace parity::client
