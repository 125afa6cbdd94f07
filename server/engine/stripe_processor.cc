#include "parity/engine/stripe_processor.h"

#include <optional>

namespace parity::engine {

void StripeProcessor::Queue(Line& line, StripeRequest& request, Crew* crew) {
  StripeJob& job = request.job();
  request.line_ = &line;
  request.next_slice_ = 0;
  request.share_ = nullptr;
  if (crew == nullptr) crew = crew_;
  if (crew != nullptr && job.can_be_shared() && job.slices() >= JobShare::kLeastSlices) {
    request.share_ = std::make_shared<JobShare>(job);
    crew->Offer(request.share_);
  }
  queue_.Push(line, &request, job.slice_bytes());
  new_bytes_ += job.source_bytes();
}

void StripeProcessor::RunTurn() {
  new_bytes_ = 0;
  if (queue_.empty()) {
    if (!helped_.empty()) HelpOnce();
    return;
  }
  uint64_t bytes = 0;
  while (!queue_.empty() && bytes < kTurnBytes) {
    turn_.push_back(Plan(*queue_.Pop()));
    if (turn_.back().slice.has_value()) bytes += turn_.back().request->job().slice_bytes();
  }
  if (bytes > 0) RunBatch();
  // Only now: part of a slice may have been planned before the rest of it failed.
  for (const Planned& planned : turn_) Conclude(planned);
  turn_.clear();
}

StripeProcessor::Planned StripeProcessor::Plan(StripeRequest& request) {
  Planned planned{&request, std::nullopt, request.Wanted()};
  if (!planned.status.ok()) return planned;
  if (request.share_ != nullptr) {
    planned.slice = request.share_->Claim();
  } else {
    planned.slice = request.next_slice_++;
  }
  if (planned.slice.has_value()) {
    planned.status = request.job().Plan(*planned.slice, batch_, table_);
  }
  return planned;
}

void StripeProcessor::Conclude(const Planned& planned) {
  StripeRequest& request = *planned.request;
  StripeJob& job = request.job();
  JobShare* const share = request.share_.get();
  absl::Status status = planned.status;
  if (planned.slice.has_value()) {
    if (status.ok()) job.AfterRun(*planned.slice);
    if (share != nullptr) share->Finish(status);
  }
  const bool more = share != nullptr ? share->has_slices() : request.next_slice_ < job.slices();
  if (status.ok() && more) {
    queue_.PushBack(*request.line_, &request, job.slice_bytes());
    return;
  }
  if (share != nullptr) {
    if (!status.ok()) share->Abandon();
    status.Update(share->Await());
  }
  request.Done(status.ok() ? job.Check() : status);
}

void StripeProcessor::HelpOnce() {
  JobShare& share = *helped_.front();
  const std::optional<size_t> slice = share.Claim();
  if (!slice.has_value()) {
    helped_.pop_front();
    return;
  }
  const absl::Status status = share.job().Plan(*slice, batch_, table_);
  RunBatch();
  share.Finish(status);
}

void StripeProcessor::RunBatch() {
  batch_.Run();
  batches_.store(batches_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace parity::engine
