// How long a thread has been busy.
#ifndef PARITY_ENGINE_BUSY_CLOCK_H_
#define PARITY_ENGINE_BUSY_CLOCK_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace parity::engine {

// One thread says when it waits, any may ask. Costs what the clock costs, which the thread reads.
class BusyClock {
 public:
  using Clock = std::chrono::steady_clock;

  // It was busy until `now`, and waits. REQUIRES: it was said to be busy.
  void IdleFrom(Clock::time_point now) {
    const int64_t busy = busy_ns_.load(std::memory_order_relaxed) + Nanoseconds(now) -
                         since_ns_.load(std::memory_order_relaxed);
    Set(busy, kIdle);
  }
  // It has something to do.
  void BusyFrom(Clock::time_point now) {
    Set(busy_ns_.load(std::memory_order_relaxed), Nanoseconds(now));
  }

  // Never less than it was before.
  double busy_seconds() const {
    for (;;) {
      const uint32_t version = version_.load(std::memory_order_acquire);
      const int64_t busy = busy_ns_.load(std::memory_order_relaxed);
      const int64_t since = since_ns_.load(std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_acquire);
      if (version % 2 != 0 || version_.load(std::memory_order_relaxed) != version) continue;
      const int64_t running = since == kIdle ? 0 : Nanoseconds(Clock::now()) - since;
      // The thread may have become idle since: what was said once is not taken back.
      int64_t said = said_ns_.load(std::memory_order_relaxed);
      while (said < busy + running &&
             !said_ns_.compare_exchange_weak(said, busy + running, std::memory_order_relaxed)) {
      }
      return static_cast<double>(std::max(said, busy + running)) * 1e-9;
    }
  }

 private:
  static constexpr int64_t kIdle = INT64_MIN;

  static int64_t Nanoseconds(Clock::time_point time) {
    return std::chrono::nanoseconds(time.time_since_epoch()).count();
  }

  // Both values change together for who reads them.
  void Set(int64_t busy_ns, int64_t since_ns) {
    const uint32_t version = version_.load(std::memory_order_relaxed);
    version_.store(version + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    busy_ns_.store(busy_ns, std::memory_order_relaxed);
    since_ns_.store(since_ns, std::memory_order_relaxed);
    version_.store(version + 2, std::memory_order_release);
  }

  std::atomic<uint32_t> version_{0};  // odd while the next two change
  std::atomic<int64_t> busy_ns_{0};   // until it was last idle
  std::atomic<int64_t> since_ns_{kIdle};
  mutable std::atomic<int64_t> said_ns_{0};  // the most that anybody was told
};

}  // namespace parity::engine

#endif  // PARITY_ENGINE_BUSY_CLOCK_H_
