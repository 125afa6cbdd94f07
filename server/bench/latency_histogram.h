// How latencies are spread.
#ifndef PARITY_SERVER_BENCH_LATENCY_HISTOGRAM_H_
#define PARITY_SERVER_BENCH_LATENCY_HISTOGRAM_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace parity::bench {

// Counts in 64 steps for each power of two, so quantiles are right to 1.6 %. Not thread-safe.
class LatencyHistogram {
 public:
  void Record(uint64_t ns) {
    ++counts_[BucketOf(ns)];
    ++count_;
  }
  void Merge(const LatencyHistogram& other);

  uint64_t count() const { return count_; }
  // What the share `q` (0 to 1) of the latencies does not exceed, in microseconds; 0 if there are
  // none.
  double QuantileUs(double q) const;

 private:
  static constexpr int kStepBits = 6;
  static constexpr uint64_t kSteps = uint64_t{1} << kStepBits;
  static constexpr int kMaxBits = 42;  // 4,398 s; what is longer counts as that
  static constexpr size_t kBuckets = (kMaxBits - kStepBits + 1) * kSteps;

  static size_t BucketOf(uint64_t ns);
  static uint64_t UpperNs(size_t bucket);

  std::array<uint64_t, kBuckets> counts_{};
  uint64_t count_ = 0;
};

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_LATENCY_HISTOGRAM_H_
