#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "exact_quantile.h"
#include "fakes.h"

namespace parity::load {
namespace {

constexpr int64_t kIntervalNs = 1000000;
constexpr int64_t kServiceNs = 100000;
constexpr int64_t kStallNs = 1000000000;
constexpr double kRate = 1e9 / kIntervalNs;

// A load for 10 s by one thread, on a coder that takes kServiceNs, and of which one call hangs at a
// gate, which the test opens kStallNs later.
absl::StatusOr<LoadResult> RunWithStall(std::optional<double> rate, uint64_t stalled_call) {
  FakeClock clock;
  absl::Notification stalled;
  absl::Notification gate;
  FakeCoder coder([&](uint64_t call, const client::Request&, const client::CallOptions&) {
    if (call == stalled_call) {
      stalled.Notify();
      gate.WaitForNotification();
    }
    clock.Advance(kServiceNs);
    return absl::OkStatus();
  });
  LoadOptions options = LoadBy(clock, absl::Seconds(10));
  options.rate = rate;
  absl::StatusOr<LoadResult> result = absl::UnknownError("not run");
  std::thread load([&] { result = RunLoad(coder, SomeGeometry(), options); });
  stalled.WaitForNotification();
  clock.Advance(kStallNs);
  gate.Notify();
  load.join();
  return result;
}

// What it must measure.
struct Expected {
  std::vector<uint64_t> latencies;
  std::vector<uint64_t> services;
  uint64_t unfinished = 0;
};
Expected Simulate(uint64_t stalled_call) {
  constexpr int64_t kEndNs = 10000000000;
  Expected expected;
  int64_t now_ns = 0;
  for (uint64_t call = 0; static_cast<int64_t>(call) * kIntervalNs < kEndNs; ++call) {
    const int64_t due_ns = static_cast<int64_t>(call) * kIntervalNs;
    const int64_t begin_ns = std::max(now_ns, due_ns);
    if (begin_ns >= kEndNs) {
      ++expected.unfinished;
      expected.latencies.push_back(kEndNs - due_ns);
      continue;
    }
    now_ns = begin_ns + kServiceNs + (call == stalled_call ? kStallNs : 0);
    expected.latencies.push_back(now_ns - due_ns);
    expected.services.push_back(now_ns - begin_ns);
  }
  return expected;
}

TEST(CoordinatedOmission, OpenLoopShowsAStallInEveryCallThatItDelays) {
  const auto result = RunWithStall(kRate, 2000);
  ASSERT_TRUE(result.ok()) << result.status();
  const Expected expected = Simulate(2000);
  EXPECT_EQ(result->calls, 10000);
  EXPECT_EQ(result->unfinished_calls, 0);
  ExpectHolds(result->latency, expected.latencies);
  ExpectHolds(result->service, expected.services);
  // A tenth of the calls were due in the stall, and more until all were made up for.
  EXPECT_GT(result->latency.QuantileNs(0.9), 9 * kServiceNs);
  EXPECT_GT(result->latency.QuantileNs(0.99), kStallNs * 9 / 10);
  // One call was slow.
  EXPECT_LT(result->service.QuantileNs(0.9999), 2 * kServiceNs);
  EXPECT_EQ(result->service.max_ns(), kStallNs + kServiceNs);
}

TEST(CoordinatedOmission, CallsThatAreDueWhenTimeIsUpCountUntilThen) {
  const auto result = RunWithStall(kRate, 9500);
  ASSERT_TRUE(result.ok()) << result.status();
  const Expected expected = Simulate(9500);
  EXPECT_EQ(expected.unfinished, 499);
  EXPECT_EQ(result->unfinished_calls, expected.unfinished);
  EXPECT_EQ(result->calls, 10000 - expected.unfinished);
  ExpectHolds(result->latency, expected.latencies);
  ExpectHolds(result->service, expected.services);
}

TEST(CoordinatedOmission, ClosedLoopEstimatesWhatAStallHides) {
  const auto result = RunWithStall(std::nullopt, 2000);
  ASSERT_TRUE(result.ok()) << result.status();
  // It makes 9 s of calls, and one.
  EXPECT_EQ(result->calls, 90000);
  EXPECT_NEAR(static_cast<double>(result->expected_interval_ns), 1e10 / 90000, 1);
  EXPECT_LT(result->service.QuantileNs(0.9999), 2 * kServiceNs);
  // A tenth of the time was stall.
  EXPECT_GT(result->latency.QuantileNs(0.95), kStallNs / 3);
  EXPECT_EQ(result->latency.max_ns(), kStallNs + kServiceNs);
}

}  // namespace
}  // namespace parity::load
