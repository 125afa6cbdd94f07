// How many calls there were lately, and how many of them failed.
//
// Key decision: counts by the second in a ring, so that it costs the same however many calls there
// are and forgets by itself.
#ifndef PARITY_CLIENT_POOL_FAILURE_WINDOW_H_
#define PARITY_CLIENT_POOL_FAILURE_WINDOW_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>

namespace parity::client {

// Not thread-safe. Threads may have read the clock in another order than they come here.
class FailureWindow {
 public:
  using Clock = std::chrono::steady_clock;
  // The second under way and those before it.
  static constexpr int kSeconds = 10;

  struct Counts {
    uint64_t calls = 0;
    uint64_t failures = 0;  // of them
  };

  void Add(Clock::time_point now, bool failed);
  Counts Sum(Clock::time_point now) const;

 private:
  struct Bucket {
    int64_t second = std::numeric_limits<int64_t>::min();  // of the clock, whose calls these are
    Counts counts;
  };

  std::array<Bucket, kSeconds> buckets_;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_POOL_FAILURE_WINDOW_H_
