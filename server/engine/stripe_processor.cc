#include "parity/engine/stripe_processor.h"

#include <algorithm>
#include <optional>

namespace parity::engine {

const StripeProcessor::Times::Bounds StripeProcessor::kTimes = {
    1'000,         2'500,         5'000,         10'000,        25'000,      50'000,
    100'000,       250'000,       500'000,       1'000'000,     2'500'000,   5'000'000,
    10'000'000,    25'000'000,    50'000'000,    100'000'000,   250'000'000, 500'000'000,
    1'000'000'000, 2'500'000'000, 5'000'000'000, 10'000'000'000};
const StripeProcessor::Slices::Bounds StripeProcessor::kSlices = {1, 2, 4, 8, 16, 32, 64, 128, 256};

namespace {

uint64_t NanosecondsBetween(std::chrono::steady_clock::time_point begin,
                            std::chrono::steady_clock::time_point end) {
  return static_cast<uint64_t>(std::chrono::nanoseconds(end - begin).count());
}

}  // namespace

void StripeProcessor::Queue(Line& line, StripeRequest& request, Crew* crew) {
  StripeJob& job = request.job();
  request.line_ = &line;
  request.next_slice_ = 0;
  request.share_ = nullptr;
  request.begun_.reset();
  request.queued_.reset();
  if (queued_requests_++ % kSampleOf == 0) request.queued_ = Clock::now();
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
  turn_began_.reset();
  turn_ended_.reset();
  uint64_t bytes = 0;
  size_t slices = 0;
  while (!queue_.empty() && bytes < kTurnBytes) {
    turn_.push_back(Plan(*queue_.Pop()));
    if (!turn_.back().slice.has_value()) continue;
    bytes += turn_.back().request->job().slice_bytes();
    ++slices;
  }
  if (slices > 0) RunBatch(slices);
  // Only now: part of a slice may have been planned before the rest of it failed.
  for (const Planned& planned : turn_) Conclude(planned);
  turn_.clear();
}

StripeProcessor::Planned StripeProcessor::Plan(StripeRequest& request) {
  Planned planned{&request, std::nullopt, request.Wanted()};
  if (!planned.status.ok()) return planned;
  if (request.queued_.has_value() && !request.begun_.has_value()) NoteBegin(request);
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
  if (request.begun_.has_value()) NoteEnd(request);
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
  RunBatch(1);
  share.Finish(status);
}

void StripeProcessor::RunBatch(size_t slices) {
  batch_.Run();
  batch_slices_.Add(slices);
}

void StripeProcessor::NoteBegin(StripeRequest& request) {
  if (!turn_began_.has_value()) turn_began_ = Clock::now();
  request.begun_ = turn_began_;
  // Never before it was queued: it may have been queued again in this turn.
  queue_times_.Add(NanosecondsBetween(*request.queued_, std::max(*request.queued_, *turn_began_)));
}

void StripeProcessor::NoteEnd(const StripeRequest& request) {
  if (!turn_ended_.has_value()) turn_ended_ = Clock::now();
  compute_times_.Add(NanosecondsBetween(*request.begun_, *turn_ended_));
}

void StripeProcessor::AddTo(stats::Service& total) const {
  queue_times_.AddTo(total.queue_seconds, 1e-9);
  compute_times_.AddTo(total.compute_seconds, 1e-9);
  batch_slices_.AddTo(total.batch_slices, 1);
}

}  // namespace parity::engine
