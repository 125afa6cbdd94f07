// What histograms approximate.
#ifndef PARITY_TESTS_LOAD_EXACT_QUANTILE_H_
#define PARITY_TESTS_LOAD_EXACT_QUANTILE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "parity/timing/latency_histogram.h"

namespace parity::load {

// The least of the values that the share `q` of them does not exceed.
inline uint64_t ExactQuantile(std::vector<uint64_t> values, double q) {
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(q * static_cast<double>(values.size()) - 1e-6);
  return values[static_cast<size_t>(std::max(1.0, rank)) - 1];
}

// Every quantile is right to 1 %, and count and maximum exactly.
inline void ExpectHolds(const timing::LatencyHistogram& histogram,
                        const std::vector<uint64_t>& values) {
  ASSERT_EQ(histogram.count(), values.size());
  EXPECT_EQ(histogram.max_ns(), *std::max_element(values.begin(), values.end()));
  for (const double q : {0.0, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
    const auto exact = static_cast<double>(ExactQuantile(values, q));
    EXPECT_NEAR(static_cast<double>(histogram.QuantileNs(q)), exact, 0.01 * exact) << q;
  }
}

}  // namespace parity::load

#endif  // PARITY_TESTS_LOAD_EXACT_QUANTILE_H_
