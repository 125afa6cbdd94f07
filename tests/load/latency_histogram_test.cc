#include "parity/timing/latency_histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "exact_quantile.h"

namespace parity::load {
namespace {

using timing::LatencyHistogram;

LatencyHistogram HistogramOf(const std::vector<uint64_t>& values) {
  LatencyHistogram histogram;
  for (const uint64_t value : values) histogram.Record(value);
  return histogram;
}

// From nanoseconds to minutes, equally many in every power of two.
std::vector<uint64_t> SpreadValues(size_t count) {
  std::mt19937_64 random(7);
  std::vector<uint64_t> values;
  for (size_t i = 0; i < count; ++i) {
    values.push_back(static_cast<uint64_t>(std::exp2(static_cast<double>(random() % 38000) / 1e3)));
  }
  return values;
}

TEST(LatencyHistogram, HasQuantilesWithinOnePercent) {
  for (const size_t count : {1, 2, 100, 10000, 100000}) {
    const std::vector<uint64_t> values = SpreadValues(count);
    ExpectHolds(HistogramOf(values), values);
  }
}

TEST(LatencyHistogram, IsExactForFewNanoseconds) {
  for (uint64_t ns = 0; ns < 128; ++ns) {
    LatencyHistogram histogram;
    histogram.Record(ns);
    histogram.Record(1000);
    EXPECT_EQ(histogram.QuantileNs(0.5), ns);
  }
}

TEST(LatencyHistogram, OfNothingIsZero) {
  const LatencyHistogram histogram;
  EXPECT_EQ(histogram.count(), 0);
  EXPECT_EQ(histogram.QuantileNs(0.5), 0);
  EXPECT_TRUE(histogram.Buckets().empty());
  EXPECT_EQ(histogram.CorrectedFor(10).count(), 0);
}

TEST(LatencyHistogram, CountsWhatIsTooLongForIt) {
  LatencyHistogram histogram;
  histogram.Record(UINT64_MAX);
  EXPECT_EQ(histogram.count(), 1);
  EXPECT_EQ(histogram.max_ns(), UINT64_MAX);
}

TEST(LatencyHistogram, OfThreadsAddsUp) {
  const std::vector<uint64_t> values = SpreadValues(20000);
  LatencyHistogram merged;
  for (auto part = values.begin(); part != values.end(); part += 5000) {
    merged.Merge(HistogramOf({part, part + 5000}));
  }
  ExpectHolds(merged, values);
}

TEST(LatencyHistogram, HasBucketsThatHoldEveryValue) {
  const std::vector<uint64_t> values = SpreadValues(5000);
  std::vector<LatencyHistogram::Bucket> buckets = HistogramOf(values).Buckets();
  for (size_t i = 1; i < buckets.size(); ++i) {
    EXPECT_GT(buckets[i].lower_ns, buckets[i - 1].upper_ns);
  }
  for (const uint64_t value : values) {
    for (LatencyHistogram::Bucket& bucket : buckets) {
      if (bucket.lower_ns <= value && value <= bucket.upper_ns) --bucket.count;
    }
  }
  for (const LatencyHistogram::Bucket& bucket : buckets) EXPECT_EQ(bucket.count, 0);
}

// As HdrHistogram does it, one by one.
TEST(LatencyHistogram, CorrectedHasTheCallsThatAStallHasPutOff) {
  constexpr uint64_t kInterval = 1000000;
  std::vector<uint64_t> values(10000, 100000);
  values.push_back(2000000000);
  values.push_back(1500000);
  values.push_back(333333333);
  const LatencyHistogram histogram = HistogramOf(values);
  std::vector<uint64_t> all = values;
  for (const uint64_t value : values) {
    for (uint64_t rest = value; rest >= 2 * kInterval;) {
      rest -= kInterval;
      all.push_back(rest);
    }
  }
  const LatencyHistogram corrected = histogram.CorrectedFor(kInterval);
  // Where one of the values is taken for the end of its bucket, there may be a call more.
  EXPECT_NEAR(static_cast<double>(corrected.count()), static_cast<double>(all.size()),
              0.01 * static_cast<double>(all.size() - values.size()));
  for (const double q : {0.5, 0.9, 0.99, 0.999}) {
    const auto exact = static_cast<double>(ExactQuantile(all, q));
    EXPECT_NEAR(static_cast<double>(corrected.QuantileNs(q)), exact, 0.02 * exact) << q;
  }
  EXPECT_EQ(histogram.QuantileNs(0.999), 100351);
  EXPECT_EQ(histogram.CorrectedFor(0).count(), histogram.count());
}

}  // namespace
}  // namespace parity::load
