// How latencies are spread.
//
// Key decision: log-linear buckets, as HdrHistogram has them, so that any latency is counted in
// bounded memory, with the same relative error, and histograms of threads add up.
#ifndef PARITY_TIMING_LATENCY_HISTOGRAM_H_
#define PARITY_TIMING_LATENCY_HISTOGRAM_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace parity::timing {

// Counts in 128 steps for each power of two, so quantiles are right to 0.8 %. Its size is 37 KB.
// Not thread-safe.
class LatencyHistogram {
 public:
  struct Bucket {
    uint64_t lower_ns;
    uint64_t upper_ns;  // the greatest latency that counts in it
    uint64_t count;
  };

  void Record(uint64_t ns) { Record(ns, 1); }
  void Record(uint64_t ns, uint64_t times) {
    counts_[BucketOf(ns)] += times;
    count_ += times;
    max_ns_ = std::max(max_ns_, ns);
  }
  void Merge(const LatencyHistogram& other);

  uint64_t count() const { return count_; }
  // Exactly.
  uint64_t max_ns() const { return max_ns_; }
  // What the share `q` (0 to 1) of the latencies does not exceed; 0 if there are none.
  uint64_t QuantileNs(double q) const;
  double QuantileUs(double q) const { return static_cast<double>(QuantileNs(q)) * 1e-3; }

  // Those that are not empty, in order.
  std::vector<Bucket> Buckets() const;

  // Of callers that wait for their answer before they call again, as if each had had a call due
  // every `interval_ns`: a latency L stands also for calls that would have taken L - interval, L -
  // 2 * interval ... down to interval (HdrHistogram's copyCorrectedForCoordinatedOmission). 0: as
  // it is. Cost: some 10 ms at worst.
  LatencyHistogram CorrectedFor(uint64_t interval_ns) const;

 private:
  static constexpr int kStepBits = 7;
  static constexpr uint64_t kSteps = uint64_t{1} << kStepBits;
  static constexpr int kMaxBits = 42;  // 4,398 s; what is longer counts as that
  static constexpr size_t kBuckets = (kMaxBits - kStepBits + 1) * kSteps;

  static size_t BucketOf(uint64_t ns);
  static uint64_t LowerNs(size_t bucket) { return bucket == 0 ? 0 : UpperNs(bucket - 1) + 1; }
  static uint64_t UpperNs(size_t bucket);

  std::array<uint64_t, kBuckets> counts_{};
  uint64_t count_ = 0;
  uint64_t max_ns_ = 0;
};

}  // namespace parity::timing

#endif  // PARITY_TIMING_LATENCY_HISTOGRAM_H_
