#include "parity/engine/job_share.h"

#include <algorithm>
#include <thread>

namespace parity::engine {

std::optional<size_t> JobShare::Claim() {
  size_t slice = claimed_.load(std::memory_order_relaxed);
  do {
    if (slice >= slices_) return std::nullopt;
  } while (!claimed_.compare_exchange_weak(slice, slice + 1, std::memory_order_relaxed));
  return slice;
}

void JobShare::Finish(const absl::Status& status) {
  if (!status.ok()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    status_.Update(status);
  }
  finished_.fetch_add(1, std::memory_order_release);
}

void JobShare::Abandon() {
  const size_t claimed = claimed_.exchange(slices_, std::memory_order_relaxed);
  finished_.fetch_add(slices_ - std::min(claimed, slices_), std::memory_order_relaxed);
}

absl::Status JobShare::Await() {
  while (finished_.load(std::memory_order_acquire) < slices_) std::this_thread::yield();
  const std::lock_guard<std::mutex> lock(mutex_);
  return status_;
}

}  // namespace parity::engine
