// What one worker does with the stripes that reach it.
//
// Key decision: turns. In a turn, slices of the requests that wait are planned one by one and
// computed together in one batch; then the worker looks at its sockets again.
#ifndef PARITY_ENGINE_STRIPE_PROCESSOR_H_
#define PARITY_ENGINE_STRIPE_PROCESSOR_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "parity/codec/batch.h"
#include "parity/codec/codec_cache.h"
#include "parity/codec/run_counts.h"
#include "parity/engine/buffer_pool.h"
#include "parity/engine/fair_queue.h"
#include "parity/engine/histogram.h"
#include "parity/engine/job_share.h"
#include "parity/engine/stripe_job.h"
#include "parity/kernels/kernel_table.h"

namespace parity::engine {

// A request that waits for its job to be done.
class StripeRequest {
 public:
  virtual ~StripeRequest() = default;

  virtual StripeJob& job() = 0;
  // Not OK if nobody waits any more; asked before every slice.
  virtual absl::Status Wanted() const = 0;
  // Called once, when the job is done, has failed or is not wanted. May destroy the request.
  virtual void Done(const absl::Status& status) = 0;

 private:
  friend class StripeProcessor;
  FairQueue<StripeRequest*>::Line* line_ = nullptr;
  size_t next_slice_ = 0;
  // If its times are taken: when it was queued, and when its first slice began.
  std::optional<std::chrono::steady_clock::time_point> queued_;
  std::optional<std::chrono::steady_clock::time_point> begun_;
  std::shared_ptr<JobShare> share_;  // if others may take part
};

// Not thread-safe, but for the counters: each worker has its own.
class StripeProcessor {
 public:
  using Line = FairQueue<StripeRequest*>::Line;

  // Source bytes of a turn; the last slice may exceed it. Some 50 us of work.
  static constexpr uint64_t kTurnBytes = 1 << 20;

  // `crew`, which may be null, is offered large jobs. It must outlive the processor.
  StripeProcessor(const kernels::KernelTable& table, std::shared_ptr<BufferPool> pool,
                  Crew* crew = nullptr)
      : table_(table), pool_(std::move(pool)), crew_(crew), batch_(table) {}

  codec::CodecCache& codecs() { return codecs_; }
  BufferPool& pool() { return *pool_; }

  // Puts a request whose memory is allocated in its client's line. It must live until it is Done;
  // then it may be queued again, with another job. `crew`, unless null, is offered the job instead
  // of the processor's own: it is nearer to where the shards lie.
  void Queue(Line& line, StripeRequest& request, Crew* crew = nullptr);

  // Source bytes of what was queued since the last turn.
  uint64_t new_bytes() const { return new_bytes_; }

  // Takes part in the job of another processor, when it has nothing else to do.
  void Help(std::shared_ptr<JobShare> share) { helped_.push_back(std::move(share)); }

  bool idle() const { return queue_.empty() && helped_.empty(); }

  // Computes slices of what is queued, kTurnBytes of them, and calls Done for requests that are.
  void RunTurn();

  // Thread-safe, as are the next two.
  const codec::RunCounts& runs() const { return batch_.runs(); }
  uint64_t batches() const { return batch_slices_.count(); }
  // Adds the times of requests, one of each kSampleOf, and the slices of batches.
  void AddTo(stats::Service& total) const;
  static constexpr uint64_t kSampleOf = 16;

 private:
  using Clock = std::chrono::steady_clock;

  struct Planned {
    StripeRequest* request;
    std::optional<size_t> slice;  // if there was one left
    absl::Status status;
  };

  // Plans the next slice of a request.
  Planned Plan(StripeRequest& request);
  // After the batch has run.
  void Conclude(const Planned& planned);
  // Computes a slice of a job of another processor.
  void HelpOnce();
  void RunBatch(size_t slices);
  // Takes the times of a request whose times are taken.
  void NoteBegin(StripeRequest& request);
  void NoteEnd(const StripeRequest& request);

  const kernels::KernelTable& table_;
  const std::shared_ptr<BufferPool> pool_;
  codec::CodecCache codecs_;
  Crew* const crew_;
  codec::Batch batch_;
  FairQueue<StripeRequest*> queue_;
  uint64_t new_bytes_ = 0;
  std::vector<Planned> turn_;
  std::deque<std::shared_ptr<JobShare>> helped_;
  uint64_t queued_requests_ = 0;
  std::optional<Clock::time_point> turn_began_;  // if anybody asked, as is the next one
  std::optional<Clock::time_point> turn_ended_;

  // Nanoseconds: 1 us to 10 s, three for each power of ten.
  using Times = Histogram<22>;
  static const Times::Bounds kTimes;
  using Slices = Histogram<9>;
  static const Slices::Bounds kSlices;
  Times queue_times_{kTimes};
  Times compute_times_{kTimes};
  Slices batch_slices_{kSlices};
};

}  // namespace parity::engine

#endif  // PARITY_ENGINE_STRIPE_PROCESSOR_H_
