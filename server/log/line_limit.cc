#include "parity/log/line_limit.h"

#include <utility>

namespace parity::log {

std::optional<uint64_t> LineLimit::Pass(Clock::time_point now) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (now - second_begins_ >= std::chrono::seconds(1)) {
    second_begins_ = now;
    passed_ = 0;
  }
  if (passed_ >= lines_) {
    ++held_back_;
    return std::nullopt;
  }
  ++passed_;
  return std::exchange(held_back_, 0);
}

}  // namespace parity::log
