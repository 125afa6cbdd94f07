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
  Progress(const Layout& layout, uint64_t begin, uint64_t end, const RunOptions& run)
      : layout_(layout),
        end_(end),
        run_(run),
        total_bytes_(begin < end ? layout.object_offset(end - 1) + layout.data_bytes(end - 1) -
                                       layout.object_offset(begin)
                                 : 0),
        next_(begin) {}

  // Whether there is one more stripe to do.
  bool Next(uint64_t* stripe) {
    if (stop_.load(std::memory_order_relaxed)) return false;
    *stripe = next_.fetch_add(1, std::memory_order_relaxed);
    if (*stripe >= end_) return false;
    if (run_.is_cancelled()) {
      Fail(*stripe, absl::CancelledError("cancelled"));
      return false;
    }
    return true;
  }

  void Finish(uint64_t stripe) {
    if (!run_.progress) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    done_bytes_ += layout_.data_bytes(stripe);
    run_.progress(done_bytes_, total_bytes_);
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
  const Layout& layout_;
  const uint64_t end_;
  const RunOptions& run_;
  const uint64_t total_bytes_;
  std::atomic<uint64_t> next_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;  // of the next
  uint64_t done_bytes_ = 0;
  absl::Status error_;
  uint64_t failed_stripe_ = 0;
};

}  // namespace

absl::Status ForEachStripe(const Layout& layout, uint64_t begin, uint64_t end,
                           const RunOptions& run,
                           absl::FunctionRef<absl::Status(StripeBuffer& buffer)> work) {
  Progress progress(layout, begin, end, run);
  const auto run_stripes = [&layout, &run, &progress, work] {
    absl::StatusOr<StripeBuffer> buffer = StripeBuffer::Make(layout, run);
    uint64_t stripe;
    while (progress.Next(&stripe)) {
      absl::Status status = buffer.status();
      if (status.ok()) {
        buffer->Reset(stripe);
        status = work(*buffer);
      }
      if (status.ok()) {
        progress.Finish(stripe);
      } else {
        progress.Fail(stripe, status);
      }
    }
  };
  std::vector<std::thread> threads;
  while (threads.size() + 1 < std::min<uint64_t>(run.stripes_in_flight, end - begin)) {
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
