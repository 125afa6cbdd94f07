#include "failure_window.h"

namespace parity::client {
namespace {

int64_t SecondOf(FailureWindow::Clock::time_point now) {
  return std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
}

}  // namespace

void FailureWindow::Add(Clock::time_point now, bool failed) {
  const int64_t second = SecondOf(now);
  // Also a clock that starts before its epoch.
  Bucket& bucket = buckets_[static_cast<size_t>((second % kSeconds + kSeconds) % kSeconds)];
  if (bucket.second > second) return;  // what is older than the window
  if (bucket.second < second) bucket = {second, {}};
  ++bucket.counts.calls;
  if (failed) ++bucket.counts.failures;
}

FailureWindow::Counts FailureWindow::Sum(Clock::time_point now) const {
  const int64_t before = SecondOf(now) - kSeconds;
  Counts sum;
  for (const Bucket& bucket : buckets_) {
    if (bucket.second <= before) continue;
    sum.calls += bucket.counts.calls;
    sum.failures += bucket.counts.failures;
  }
  return sum;
}

}  // namespace parity::client
