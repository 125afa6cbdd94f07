// The time that a load goes by.
#ifndef PARITY_LOAD_CLOCK_H_
#define PARITY_LOAD_CLOCK_H_

#include <cstdint>

namespace parity::load {

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  // From an origin of its own; never goes back.
  virtual int64_t NowNs() = 0;
  // Returns at once if it is later already.
  virtual void SleepUntilNs(int64_t then_ns) = 0;
};

// CLOCK_MONOTONIC. A sleep ends as soon after its time as the kernel wakes the thread.
Clock& SteadyClock();

}  // namespace parity::load

#endif  // PARITY_LOAD_CLOCK_H_
