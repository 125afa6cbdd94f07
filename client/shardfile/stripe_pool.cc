#include "stripe_pool.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace parity::shardfile {
namespace {

class Progress {
 public:
  Progress(uint64_t stripes, const RunOptions& run) : stripes_(stripes), run_(run) {}

  // Whether there is one more stripe to do.
  bool Next(uint64_t* stripe) {
    if (stop_.load(std::memory_order_relaxed)) return false;
    *stripe = next_.fetch_add(1, std::memory_order_relaxed);
    if (*stripe >= stripes_) return false;
    if (run_.is_cancelled()) {
      Fail(*stripe, absl::CancelledError("cancelled"));
      return false;
    }
    return true;
  }

  void Fail(uint64_t stripe, const absl::Status& error) {
    stop_.store(true, std::memory_order_relaxed);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!error_.ok() && stripe >= failed_stripe_) return;
    failed_stripe_ = stripe;
    error_ = error;
  }

  // REQUIRES: the threads that call the other functions have ended.
  const absl::Status& error() const { return error_; }

 private:
  const uint64_t stripes_;
  const RunOptions& run_;
  std::atomic<uint64_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  absl::Status error_;
  uint64_t failed_stripe_ = 0;
};

}  // namespace

absl::Status ForEachStripe(const Layout& layout, uint64_t end, const RunOptions& run,
                           absl::FunctionRef<absl::Status(StripeBuffer& buffer)> work) {
  Progress progress(end, run);
  const auto run_stripes = [&layout, &run, &progress, work] {
    absl::StatusOr<StripeBuffer> buffer = StripeBuffer::Make(layout, run);
    uint64_t stripe;
    while (progress.Next(&stripe)) {
      absl::Status status = buffer.status();
      if (status.ok()) {
        buffer->Reset(stripe);
        status = work(*buffer);
      }
      if (!status.ok()) progress.Fail(stripe, status);
    }
  };
  std::vector<std::thread> threads;
  while (threads.size() + 1 < std::min<uint64_t>(run.stripes_in_flight, end)) {
    try {
      threads.emplace_back(run_stripes);
    } catch (const std::system_error&) {
      break;  // fewer threads do it too
    }
  }
  run_stripes();
  for (std::thread& thread : threads) thread.join();
  return progress.error();
}

}  // namespace parity::shardfile
