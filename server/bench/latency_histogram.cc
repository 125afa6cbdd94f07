#include "latency_histogram.h"

#include <algorithm>
#include <cmath>

namespace parity::bench {

// The first kSteps buckets are one nanosecond wide; from there on each power of two has kSteps.
size_t LatencyHistogram::BucketOf(uint64_t ns) {
  if (ns < kSteps) return ns;
  ns = std::min(ns, (uint64_t{1} << kMaxBits) - 1);
  const int shift = 63 - __builtin_clzll(ns) - kStepBits;
  return static_cast<size_t>(shift) * kSteps + (ns >> shift);
}

uint64_t LatencyHistogram::UpperNs(size_t bucket) {
  if (bucket < kSteps) return bucket;
  const size_t shift = bucket / kSteps - 1;
  return ((kSteps + bucket % kSteps + 1) << shift) - 1;
}

void LatencyHistogram::Merge(const LatencyHistogram& other) {
  for (size_t bucket = 0; bucket < kBuckets; ++bucket) counts_[bucket] += other.counts_[bucket];
  count_ += other.count_;
}

double LatencyHistogram::QuantileUs(double q) const {
  if (count_ == 0) return 0;
  const auto wanted =
      std::max<uint64_t>(1, static_cast<uint64_t>(std::ceil(q * static_cast<double>(count_))));
  uint64_t seen = 0;
  for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
    seen += counts_[bucket];
    if (seen >= wanted) return static_cast<double>(UpperNs(bucket)) * 1e-3;
  }
  return 0;
}

}  // namespace parity::bench
