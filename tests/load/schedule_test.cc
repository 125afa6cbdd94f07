#include "parity/load/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace parity::load {
namespace {

TEST(Schedule, OfConstantArrivalsDoesNotDrift) {
  Schedule schedule(3, Arrivals::kConstant, 1);
  for (int64_t call = 0; call < 3000000; ++call) {
    const int64_t due_ns = schedule.NextNs();
    const int64_t third_ns[] = {0, 333333333, 666666667};
    ASSERT_EQ(due_ns, call / 3 * 1000000000 + third_ns[call % 3]);
  }
}

// Ten classes of interval that are equally likely if intervals are exponential.
TEST(Schedule, OfPoissonArrivalsHasExponentialIntervals) {
  constexpr int kCalls = 100000;
  constexpr double kMeanNs = 1e6;
  Schedule schedule(1e9 / kMeanNs, Arrivals::kPoisson, 1);
  std::array<int, 10> counts{};
  int64_t last_ns = 0;
  for (int call = 0; call < kCalls; ++call) {
    const int64_t due_ns = schedule.NextNs();
    ASSERT_GE(due_ns, last_ns);
    const double below = 1 - std::exp(-static_cast<double>(due_ns - last_ns) / kMeanNs);
    ++counts[std::min<size_t>(9, static_cast<size_t>(below * 10))];
    last_ns = due_ns;
  }
  EXPECT_NEAR(static_cast<double>(last_ns), kMeanNs * kCalls, 0.01 * kMeanNs * kCalls);
  double chi_square = 0;
  for (const int count : counts) chi_square += std::pow(count - kCalls / 10.0, 2) / (kCalls / 10.0);
  EXPECT_LT(chi_square, 27.9);  // one in a thousand is above, with 9 degrees of freedom
}

TEST(Schedule, IsTheSameForTheSameSeed) {
  Schedule one(1000, Arrivals::kPoisson, 5);
  Schedule same(1000, Arrivals::kPoisson, 5);
  Schedule other(1000, Arrivals::kPoisson, 6);
  EXPECT_NE(one.NextNs(), other.NextNs());
  same.NextNs();
  for (int call = 0; call < 100; ++call) EXPECT_EQ(one.NextNs(), same.NextNs());
}

}  // namespace
}  // namespace parity::load
