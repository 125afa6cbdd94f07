// A large job that several workers compute, slice by slice.
#ifndef PARITY_ENGINE_JOB_SHARE_H_
#define PARITY_ENGINE_JOB_SHARE_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>

#include "absl/status/status.h"
#include "parity/engine/stripe_job.h"

namespace parity::engine {

// Thread-safe. Outlives the job: with no slice left, it is not touched any more.
class JobShare {
 public:
  // Jobs of fewer slices are not shared: waking a worker takes about as long as computing one.
  static constexpr size_t kLeastSlices = 4;

  // REQUIRES: job.can_be_shared().
  explicit JobShare(StripeJob& job) : job_(job), slices_(job.slices()) {}
  JobShare(const JobShare&) = delete;
  JobShare& operator=(const JobShare&) = delete;

  // A slice that nobody else will compute; unset if there is none. Who gets one must call Finish.
  std::optional<size_t> Claim();
  bool has_slices() const { return claimed_.load(std::memory_order_relaxed) < slices_; }
  // REQUIRES: a slice has been claimed and is not finished.
  StripeJob& job() { return job_; }
  void Finish(const absl::Status& status);

  // Leaves no slice to claim.
  void Abandon();

  // When every slice that was claimed is finished: the first error. Waits for that, which takes no
  // longer than a slice does if none is left to claim.
  absl::Status Await();

 private:
  StripeJob& job_;
  const size_t slices_;
  std::atomic<size_t> claimed_{0};
  std::atomic<size_t> finished_{0};
  std::mutex mutex_;  // of the next
  absl::Status status_;
};

// Where a worker finds others that have nothing to do.
class Crew {
 public:
  virtual ~Crew() = default;
  // Lets idle workers of the same node take part.
  virtual void Offer(const std::shared_ptr<JobShare>& share) = 0;
};

}  // namespace parity::engine

#endif  // PARITY_ENGINE_JOB_SHARE_H_
