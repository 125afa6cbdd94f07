// When the calls of an open loop are due.
//
// Key decision: it depends on nothing but the rate, never on how fast calls are answered. So a
// server that stalls does not put off the calls that would show it.
#ifndef PARITY_LOAD_SCHEDULE_H_
#define PARITY_LOAD_SCHEDULE_H_

#include <cstdint>
#include <mutex>
#include <random>

namespace parity::load {

enum class Arrivals : uint8_t {
  kConstant,  // one every 1 / rate
  kPoisson,   // independent of each other: intervals of exponential distribution
};

// Thread-safe.
class Schedule {
 public:
  // REQUIRES: calls_per_second > 0. The same seed makes the same schedule.
  Schedule(double calls_per_second, Arrivals arrivals, uint64_t seed);

  // When the next call is due, after the start: in order.
  int64_t NextNs();

 private:
  const double interval_ns_;
  const Arrivals arrivals_;
  std::mutex mutex_;  // of the rest
  std::mt19937_64 random_;
  uint64_t calls_ = 0;
  double next_ns_ = 0;
};

}  // namespace parity::load

#endif  // PARITY_LOAD_SCHEDULE_H_
