// Keeps what peers can cause from filling the log.
#ifndef PARITY_LOG_LINE_LIMIT_H_
#define PARITY_LOG_LINE_LIMIT_H_

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

namespace parity::log {

// Lets at most `lines` of one kind pass in each second. Thread-safe.
class LineLimit {
 public:
  using Clock = std::chrono::steady_clock;

  explicit LineLimit(uint32_t lines) : lines_(lines) {}

  // Whether a line may be written at `now`: then how many were not since the last one that was.
  std::optional<uint64_t> Pass(Clock::time_point now);

 private:
  const uint32_t lines_;
  std::mutex mutex_;  // of all below
  Clock::time_point second_begins_;
  uint32_t passed_ = 0;  // in this second
  uint64_t held_back_ = 0;
};

}  // namespace parity::log

#endif  // PARITY_LOG_LINE_LIMIT_H_
