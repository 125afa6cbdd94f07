#include "parity/load/schedule.h"

#include <cmath>

#include "unit_interval.h"

namespace parity::load {

Schedule::Schedule(double calls_per_second, Arrivals arrivals, uint64_t seed)
    : interval_ns_(1e9 / calls_per_second), arrivals_(arrivals), random_(seed) {}

int64_t Schedule::NextNs() {
  const std::lock_guard<std::mutex> lock(mutex_);
  switch (arrivals_) {
    case Arrivals::kConstant:
      return std::llround(static_cast<double>(calls_++) * interval_ns_);
    case Arrivals::kPoisson:
      next_ns_ -= std::log(1 - UnitInterval(random_)) * interval_ns_;
      return std::llround(next_ns_);
  }
  return 0;
}

}  // namespace parity::load
