#include "parity/load/clock.h"

#include <sys/prctl.h>

#include <cerrno>
#include <ctime>

namespace parity::load {
namespace {

constexpr int64_t kNsPerSecond = 1000000000;

class MonotonicClock final : public Clock {
 public:
  int64_t NowNs() override {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t{now.tv_sec} * kNsPerSecond + now.tv_nsec;
  }

  void SleepUntilNs(int64_t then_ns) override {
    // Else Linux wakes a thread up to 50 us late, to save power.
    thread_local bool slack_is_short = false;
    if (!slack_is_short) prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    slack_is_short = true;
    timespec then{};
    then.tv_sec = then_ns / kNsPerSecond;
    then.tv_nsec = then_ns % kNsPerSecond;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, nullptr) == EINTR) {
    }
  }
};

}  // namespace

Clock& SteadyClock() {
  static MonotonicClock clock;
  return clock;
}

}  // namespace parity::load
