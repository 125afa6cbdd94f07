#include "ring_request.h"

#include <cstring>
#include <utility>

#include "counters.h"
#include "parity/shm/layout.h"

namespace parity::rings {
namespace {

using region::Fault;
using shm::Outcome;

}  // namespace

Fault RingRequest::Prepare(const region::Region& region,
                           const std::shared_ptr<const DefinedPlan>& defined,
                           const shm::RecordHeader& header, absl::Span<const uint64_t> words) {
  if (plan_ != defined) plan_ = defined;
  id_ = header.id;
  words_ = header.words;
  const shm::Plan& plan = plan_->plan;
  const bool verifies = plan.operation == shm::Operation::kVerify;
  const size_t sources = size_t{plan.sources()} * header.stripes;
  const size_t outputs = size_t{plan.outputs()} * header.stripes;

  region::RegionShards::Places places;
  places.shard_bytes = header.shard_bytes;
  places.stripes = header.stripes;
  places.sources = words.first(sources);
  places.outputs = words.subspan(sources, outputs);
  if (header.has_lengths) places.lengths = words.last(sources);
  if (plan.operation == shm::Operation::kUpdate) {
    places.updated_per_stripe = plan.geometry.parity_shards();
  }
  if (Fault fault = shards_.Find(region, places); !fault.ok()) return fault;

  report_ = nullptr;
  if (verifies) {
    const auto place = static_cast<uint32_t>(sources);
    const uint64_t offset = words[sources];
    if (offset % alignof(uint64_t) != 0) return {Outcome::kUnaligned, place};
    report_ = region.Find(offset, shm::ReportBytes(plan.geometry, header.stripes));
    if (report_ == nullptr) return {Outcome::kOutsideRegion, place};
    for (const codec::Shard& shard : shards_.sources()) {
      for (const codec::Segment& segment : shard) {
        const bool apart =
            segment.data + segment.bytes <= report_ ||
            segment.data >= report_ + shm::ReportBytes(plan.geometry, header.stripes);
        if (!apart) return {Outcome::kOverlap, place};
      }
    }
  }
  engine::StripeTask task;
  task.operation = plan_->operation;
  task.shards = shards_.sources();
  task.shard_bytes = header.shard_bytes;
  task.stripes = header.stripes;
  task.indices = plan.indices;
  task.wanted = plan.wanted;
  task.outputs = shards_.outputs();
  absl::StatusOr<engine::StripeJob> job = engine::StripeJob::Make(plan_->codec, task);
  if (!job.ok()) return {Outcome::kRefused, 0};
  job_ = *std::move(job);
  return {};
}

absl::Status RingRequest::Wanted() const {
  if (ring_.closed()) return absl::CancelledError("the client has gone");
  return absl::OkStatus();
}

void RingRequest::Done(const absl::Status& status) {
  Outcome outcome = Outcome::kDone;
  if (status.ok()) {
    ring_.counters_.answers.Done(plan_->operation, job_);
    if (report_ != nullptr && !ring_.closed()) {
      WriteReport();
      if (!job_.report().mismatches.empty()) outcome = Outcome::kInconsistent;
    }
  } else {
    ring_.counters_.answers.Failed(plan_->operation, status.code());
    if (absl::IsCancelled(status)) ring_.counters_.dropped_requests.Add(1);
    outcome = absl::IsFailedPrecondition(status) ? Outcome::kUndetermined : Outcome::kRefused;
  }
  ring_.Complete(id_, outcome, 0);
  ring_.Ended(std::unique_ptr<RingRequest>(this));
}

void RingRequest::WriteReport() {
  const engine::StripeReport& found = job_.report();
  shm::VerifyReport report{};
  report.mismatches = static_cast<uint32_t>(found.mismatches.size());
  report.more = found.more ? 1 : 0;
  report.suspect = found.suspect.value_or(shm::VerifyReport::kNoSuspect);
  uint8_t* to = report_ + sizeof report;
  for (const engine::Mismatch& mismatch : found.mismatches) {
    const shm::VerifyReport::Mismatch written{mismatch.stripe, mismatch.at.shard,
                                              mismatch.at.offset};
    std::memcpy(to, &written, sizeof written);
    to += sizeof written;
  }
  std::memcpy(report_, &report, sizeof report);
}

}  // namespace parity::rings
