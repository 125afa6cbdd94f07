// How the values of something that one thread does are spread.
#ifndef PARITY_ENGINE_HISTOGRAM_H_
#define PARITY_ENGINE_HISTOGRAM_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "parity/engine/counter.h"
#include "parity/stats/snapshot.h"

namespace parity::engine {

// One thread adds, any may read.
template <size_t kBounds>
class Histogram {
 public:
  using Bounds = std::array<uint64_t, kBounds>;

  // Buckets up to each of `bounds`, which ascend, and one for what is above.
  explicit Histogram(const Bounds& bounds) : bounds_(bounds) {}

  void Add(uint64_t value) {
    const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
    counts_[static_cast<size_t>(bucket)].Add(1);
    sum_.Add(value);
  }

  uint64_t count() const {
    uint64_t count = 0;
    for (const Counter& bucket : counts_) count += bucket.value();
    return count;
  }
  // Adds what was counted, in units of which one of here is `unit`.
  void AddTo(stats::Distribution& total, double unit) const {
    if (total.counts.empty()) {
      for (const uint64_t bound : bounds_) {
        total.bounds.push_back(static_cast<double>(bound) * unit);
      }
      total.counts.resize(kBounds + 1);
    }
    for (size_t i = 0; i <= kBounds; ++i) total.counts[i] += counts_[i].value();
    total.sum += static_cast<double>(sum_.value()) * unit;
  }

 private:
  const Bounds bounds_;
  std::array<Counter, kBounds + 1> counts_;
  Counter sum_;
};

}  // namespace parity::engine

#endif  // PARITY_ENGINE_HISTOGRAM_H_
