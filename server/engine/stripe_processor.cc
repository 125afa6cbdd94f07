#include "parity/engine/stripe_processor.h"

namespace parity::engine {

void StripeProcessor::Queue(Line& line, StripeRequest& request) {
  request.line_ = &line;
  queue_.Push(line, &request, request.job().slice_bytes());
}

void StripeProcessor::RunTurn() {
  uint64_t bytes = 0;
  while (!queue_.empty() && bytes < kTurnBytes) {
    StripeRequest& request = *queue_.Pop();
    absl::Status status = request.Wanted();
    if (status.ok()) {
      status = request.job().Plan(request.next_slice_, batch_, table_);
      bytes += request.job().slice_bytes();
    }
    turn_.push_back({&request, std::move(status)});
  }
  if (turn_.empty()) return;
  if (bytes > 0) {
    batch_.Run();
    batches_.store(batches_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  // Only now: part of a slice may have been planned before the rest of it failed.
  for (Planned& planned : turn_) {
    StripeRequest& request = *planned.request;
    StripeJob& job = request.job();
    if (planned.status.ok()) job.AfterRun(request.next_slice_++);
    if (planned.status.ok() && request.next_slice_ < job.slices()) {
      queue_.PushBack(*request.line_, &request, job.slice_bytes());
    } else {
      request.Done(planned.status.ok() ? job.Check() : planned.status);
    }
  }
  turn_.clear();
}

}  // namespace parity::engine
