#include "parity/timing/latency_histogram.h"

#include <cmath>

namespace parity::timing {

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
  max_ns_ = std::max(max_ns_, other.max_ns_);
}

uint64_t LatencyHistogram::QuantileNs(double q) const {
  if (count_ == 0) return 0;
  // 0.9999 of 10,000 are 9,999, whatever the product rounds to.
  const double share = std::ceil(q * static_cast<double>(count_) - 1e-6);
  const uint64_t wanted = share < 1 ? 1 : static_cast<uint64_t>(share);
  uint64_t seen = 0;
  for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
    seen += counts_[bucket];
    if (seen >= wanted) return std::min(UpperNs(bucket), max_ns_);
  }
  return max_ns_;
}

std::vector<LatencyHistogram::Bucket> LatencyHistogram::Buckets() const {
  std::vector<Bucket> buckets;
  for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
    if (counts_[bucket] == 0) continue;
    buckets.push_back({LowerNs(bucket), UpperNs(bucket), counts_[bucket]});
  }
  return buckets;
}

LatencyHistogram LatencyHistogram::CorrectedFor(uint64_t interval_ns) const {
  LatencyHistogram corrected = *this;
  if (interval_ns == 0) return corrected;
  for (size_t bucket = BucketOf(interval_ns); bucket < kBuckets; ++bucket) {
    if (counts_[bucket] == 0) continue;
    const uint64_t latency = std::min(UpperNs(bucket), max_ns_);
    for (size_t into = BucketOf(interval_ns); into <= bucket; ++into) {
      // How many of latency - i * interval, i from 1, are in [lower, upper].
      const uint64_t lower = std::max(LowerNs(into), interval_ns);
      const uint64_t upper = UpperNs(into);
      if (lower > latency) break;
      const uint64_t skipped = upper < latency ? (latency - upper - 1) / interval_ns : 0;
      const uint64_t missed = counts_[bucket] * ((latency - lower) / interval_ns - skipped);
      corrected.counts_[into] += missed;
      corrected.count_ += missed;
    }
  }
  return corrected;
}

}  // namespace parity::timing
