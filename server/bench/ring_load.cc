#include "ring_load.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace parity::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Jobs are published in groups of this share of the depth, so that the server has work while the
// client prepares more, and the lines that both use change hands less often than once a job.
constexpr size_t kGroupsOfDepth = 32;

// Waits that share a deadline: reading the clock takes as long as computing some KiB.
constexpr uint32_t kWaitsOfDeadline = 256;

// From this many bytes of data shards a job takes about as long as waking the client does, or
// longer: it sleeps until half of them are done.
constexpr uint64_t kLargeJobBytes = 2 << 20;

size_t AtLeast(const ShmRow& row) {
  const uint64_t bytes = uint64_t{row.geometry.data_shards()} * row.stripes * row.shard_bytes;
  return bytes < kLargeJobBytes ? 1 : row.depth / 2;
}

absl::Time Patience() { return absl::Now() + absl::FromChrono(kPatience); }

absl::Status ErrorOf(const client::RingCompletion& completion) {
  return {completion.status.code(),
          absl::StrCat("shared memory: job ", completion.id, ": ", completion.status.message())};
}

class RingLoad final : public Load {
 public:
  RingLoad(client::Ring& ring, const ShmRow& row, Slots& slots, uint64_t most)
      : ring_(ring),
        row_(row),
        group_(std::max<size_t>(1, row.depth / kGroupsOfDepth)),
        most_(most),
        slots_(slots),
        jobs_(slots.count()) {
    const size_t sources = row.geometry.data_shards() * row.stripes;
    const size_t outputs = row.geometry.parity_shards() * row.stripes;
    for (size_t slot = 0; slot < jobs_.size(); ++slot) {
      Job& job = jobs_[slot];
      for (size_t i = 0; i < sources; ++i) {
        job.sources.push_back(slots.sources(slot) + i * row.shard_bytes);
      }
      for (size_t i = 0; i < outputs; ++i) {
        job.outputs.push_back(slots.parity(slot) + i * row.shard_bytes);
      }
    }
  }

  absl::Status Run(const LoadControl& control, Meter& meter) override {
    while (true) {
      if (!control.stopping.load(std::memory_order_relaxed)) {
        if (absl::Status status = Submit(); !status.ok()) return status;
      }
      if (under_way_ == 0) return absl::OkStatus();
      absl::Span<const client::RingCompletion> completions = ring_.Take(row_.depth);
      if (completions.empty()) {
        if (waits_++ % kWaitsOfDeadline == 0) deadline_ = Patience();
        if (absl::Status status = ring_.Wait(deadline_, AtLeast(row_)); !status.ok()) return status;
        completions = ring_.Take(row_.depth);
      }
      if (absl::Status status = Finish(completions, control, meter); !status.ok()) return status;
    }
  }

 private:
  struct Job {
    std::vector<const uint8_t*> sources;
    std::vector<uint8_t*> outputs;
    Clock::time_point start;
    bool under_way = false;
  };

  // As many jobs as may be under way.
  absl::Status Submit() {
    size_t queued = 0;
    Clock::time_point start;
    while (under_way_ < row_.depth && !jobs_[next_].under_way &&
           (most_ == 0 || submitted_ < most_)) {
      if (row_.access == Access::kPaused) absl::SleepFor(kPause);
      slots_.Prepare(next_);
      if (queued == 0) start = Clock::now();
      if (absl::Status status = SubmitOne(jobs_[next_]); !status.ok()) return status;
      jobs_[next_].start = start;
      if (++next_ == jobs_.size()) next_ = 0;
      if (++queued < group_) continue;
      ring_.Publish();
      queued = 0;
    }
    if (queued > 0) ring_.Publish();
    return absl::OkStatus();
  }

  absl::Status SubmitOne(Job& job) {
    client::RingJob run;
    run.id = next_;
    run.plan = kEncodePlan;
    run.stripes = static_cast<uint32_t>(row_.stripes);
    run.shard_bytes = row_.shard_bytes;
    run.sources = job.sources;
    run.outputs = job.outputs;
    if (absl::Status status = ring_.Submit(run); !status.ok()) return status;
    job.under_way = true;
    ++under_way_;
    ++submitted_;
    return absl::OkStatus();
  }

  absl::Status Finish(absl::Span<const client::RingCompletion> completions,
                      const LoadControl& control, Meter& meter) {
    if (completions.empty()) return absl::OkStatus();
    const auto now = Clock::now();
    const bool recording = control.recording.load(std::memory_order_relaxed);
    for (const client::RingCompletion& completion : completions) {
      if (!completion.status.ok()) return ErrorOf(completion);
      if (completion.id >= jobs_.size() || !jobs_[completion.id].under_way) {
        return absl::InternalError(absl::StrCat("shared memory: a completion of job ",
                                                completion.id, " that is not there"));
      }
      Job& job = jobs_[completion.id];
      job.under_way = false;
      --under_way_;
      if (recording) meter.latencies.Record(static_cast<uint64_t>((now - job.start).count()));
      if (absl::Status status = slots_.Finish(completion.id); !status.ok()) return status;
    }
    answers_ += completions.size();
    meter.answers.store(answers_, std::memory_order_relaxed);
    return absl::OkStatus();
  }

  client::Ring& ring_;
  const ShmRow row_;
  const size_t group_;
  const uint64_t most_;
  Slots& slots_;
  std::vector<Job> jobs_;  // of the slots
  size_t next_ = 0;        // slot
  size_t under_way_ = 0;
  uint64_t submitted_ = 0;
  uint64_t answers_ = 0;
  uint32_t waits_ = 0;
  absl::Time deadline_;
};

}  // namespace

absl::Status DefinePlan(client::Ring& ring, const ShmRow& row) {
  const client::RingPlan plan = {client::Operation::kEncode, row.geometry, {}, {}};
  if (absl::Status status = ring.Define(kEncodePlan, plan, 0); !status.ok()) return status;
  ring.Publish();
  if (absl::Status status = ring.Wait(Patience()); !status.ok()) return status;
  const absl::Span<const client::RingCompletion> completions = ring.Take();
  if (completions.size() != 1) return absl::InternalError("shared memory: no plan was completed");
  return completions[0].status.ok() ? absl::OkStatus() : ErrorOf(completions[0]);
}

std::unique_ptr<Load> MakeRingLoad(client::Ring& ring, const ShmRow& row, Slots& slots,
                                   uint64_t most) {
  return std::make_unique<RingLoad>(ring, row, slots, most);
}

}  // namespace parity::bench
