// What workers count: histograms, busy time, answers, throttling.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parity/engine/answer_counts.h"
#include "parity/engine/busy_clock.h"
#include "parity/engine/cpu_throttling.h"
#include "parity/engine/histogram.h"
#include "stripe_processor_fixture.h"

namespace parity::engine {
namespace {

using ::testing::ElementsAre;

TEST(Histogram, AValueOnABoundCountsBelowIt) {
  Histogram<3> histogram({1, 10, 100});
  for (const uint64_t value : {0, 1, 2, 10, 11, 100, 101, 1'000'000}) histogram.Add(value);
  stats::Distribution total;
  histogram.AddTo(total, 0.5);
  EXPECT_THAT(total.bounds, ElementsAre(0.5, 5, 50));
  EXPECT_THAT(total.counts, ElementsAre(2, 2, 2, 2));
  EXPECT_EQ(total.sum, 500'112.5);
  EXPECT_EQ(histogram.count(), 8u);

  Histogram<3> other({1, 10, 100});
  other.Add(5);
  other.AddTo(total, 0.5);
  EXPECT_THAT(total.counts, ElementsAre(2, 3, 2, 2));
}

TEST(BusyClock, CountsOnlyWhatIsSaidToBeBusy) {
  using std::chrono::seconds;
  const auto now = BusyClock::Clock::now();
  BusyClock clock;
  EXPECT_EQ(clock.busy_seconds(), 0);
  clock.BusyFrom(now - seconds(100));
  clock.IdleFrom(now - seconds(90));
  EXPECT_DOUBLE_EQ(clock.busy_seconds(), 10);
  clock.BusyFrom(now - seconds(50));
  clock.IdleFrom(now - seconds(49));
  EXPECT_DOUBLE_EQ(clock.busy_seconds(), 11);
  clock.BusyFrom(now - seconds(5));
  EXPECT_GE(clock.busy_seconds(), 16);
}

TEST(BusyClock, NeverGoesBackForWhoeverAsksMeanwhile) {
  BusyClock clock;
  std::atomic<bool> done{false};
  std::thread worker([&] {
    clock.BusyFrom(BusyClock::Clock::now());
    for (int i = 0; i < 200'000; ++i) {
      clock.IdleFrom(BusyClock::Clock::now());
      clock.BusyFrom(BusyClock::Clock::now());
    }
    done = true;
  });
  double before = 0;
  bool went_back = false;
  while (!done) {
    const double now = clock.busy_seconds();
    went_back = went_back || now < before;
    before = now;
  }
  worker.join();
  EXPECT_FALSE(went_back);
}

class CountingTest : public StripeProcessorTest {};

TEST_F(CountingTest, TimesOfOneRequestIn16AreTaken) {
  const codec::Geometry geometry = *codec::Geometry::Make(codec::Code::kXor, 3, 1);
  const Stripes stripes(geometry, 100, 1, random_);
  const std::vector<codec::Bytes> data = stripes.Pick(stripes.data());
  const codec::ShardList list(data, random_);
  const std::vector<codec::Shard> shards = list.shards();
  StripeTask task;
  task.shards = shards;
  task.shard_bytes = 100;
  task.stripes = 1;
  constexpr uint64_t kRequests = 3 * StripeProcessor::kSampleOf;
  for (uint64_t i = 0; i < kRequests; ++i) ASSERT_TRUE(Run(*Make(geometry, task)).ok());
  stats::Service service;
  processor_.AddTo(service);
  const auto count = [](const stats::Distribution& distribution) {
    uint64_t all = 0;
    for (const uint64_t bucket : distribution.counts) all += bucket;
    return all;
  };
  EXPECT_EQ(count(service.queue_seconds), 3u);
  EXPECT_EQ(count(service.compute_seconds), 3u);
  EXPECT_GT(service.compute_seconds.sum, 0);
  EXPECT_EQ(count(service.batch_slices), kRequests);
  EXPECT_EQ(service.batch_slices.sum, kRequests);
  EXPECT_EQ(service.batch_slices.counts.front(), kRequests);  // of one slice each
}

TEST_F(CountingTest, ARequestOfManyTurnsIsTimedOnce) {
  const codec::Geometry geometry = *codec::Geometry::Make(codec::Code::kXor, 2, 1);
  const Stripes stripes(geometry, 3'000'000, 1, random_);
  const std::vector<codec::Bytes> data = stripes.Pick(stripes.data());
  const codec::ShardList list(data, random_);
  const std::vector<codec::Shard> shards = list.shards();
  StripeTask task;
  task.shards = shards;
  task.shard_bytes = 3'000'000;
  task.stripes = 1;
  auto request = Make(geometry, task);
  const absl::Status status = Run(*request);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_GT(request->job().slices(), 4u);
  stats::Service service;
  processor_.AddTo(service);
  uint64_t timed = 0;
  for (const uint64_t bucket : service.compute_seconds.counts) timed += bucket;
  EXPECT_EQ(timed, 1u);
}

TEST_F(CountingTest, AnswersCountByOperationAndCode) {
  const codec::Geometry geometry = *codec::Geometry::Make(codec::Code::kXor, 3, 2 - 1);
  const Stripes stripes(geometry, 1000, 2, random_);
  const std::vector<codec::Bytes> data = stripes.Pick(stripes.data());
  const codec::ShardList list(data, random_);
  const std::vector<codec::Shard> shards = list.shards();
  StripeTask task;
  task.shards = shards;
  task.shard_bytes = 1000;
  task.stripes = 2;
  auto request = Make(geometry, task);
  AnswerCounts counts;
  counts.Done(Operation::kEncode, request->job());
  counts.Failed(Operation::kVerify, absl::StatusCode::kInvalidArgument);
  counts.Failed(Operation::kVerify, absl::StatusCode::kUnauthenticated);
  std::array<stats::OperationCounts, stats::kOperations> total;
  stats::Worker worker;
  counts.AddTo(total, worker);
  counts.AddTo(total, worker);  // of another one
  EXPECT_EQ(total[0].requests[0], 2u);
  EXPECT_EQ(total[0].stripes, 4u);
  EXPECT_EQ(total[0].source_bytes, 2u * 2 * 3 * 1000);
  EXPECT_EQ(total[0].computed_bytes, 2u * 2 * 1000);
  EXPECT_EQ(total[2].requests[0], 0u);
  EXPECT_EQ(total[2].requests[3], 2u);
  EXPECT_EQ(total[2].requests[16], 2u);
  EXPECT_EQ(worker.requests, 6u);
  EXPECT_EQ(worker.source_bytes, 2u * 2 * 3 * 1000);
}

class CpuThrottlingTest : public ::testing::Test {
 protected:
  CpuThrottlingTest() {
    char name[] = "/tmp/parity-throttling-test.XXXXXX";
    root_ = mkdtemp(name);
  }
  ~CpuThrottlingTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& file, const std::string& content) {
    const std::filesystem::path path = root_ + "/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << content;
  }

  std::string root_;
};

TEST_F(CpuThrottlingTest, ReadsVersion2) {
  Write("cpu.stat",
        "usage_usec 9\nuser_usec 5\nsystem_usec 4\nnr_periods 20\nnr_throttled 3\n"
        "throttled_usec 1500000\nnr_bursts 0\n");
  const auto throttling = ReadCpuThrottling(root_);
  ASSERT_TRUE(throttling.has_value());
  EXPECT_EQ(throttling->periods, 20u);
  EXPECT_EQ(throttling->throttled_periods, 3u);
  EXPECT_EQ(throttling->throttled_seconds, 1.5);
}

TEST_F(CpuThrottlingTest, ReadsVersion1) {
  Write("cpu/cpu.stat", "nr_periods 20\nnr_throttled 3\nthrottled_time 2500000000\n");
  const auto throttling = ReadCpuThrottling(root_);
  ASSERT_TRUE(throttling.has_value());
  EXPECT_EQ(throttling->throttled_seconds, 2.5);
}

TEST_F(CpuThrottlingTest, WithoutAQuotaThereIsNone) {
  EXPECT_FALSE(ReadCpuThrottling(root_).has_value());
  Write("cpu.stat", "usage_usec 9\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
  EXPECT_FALSE(ReadCpuThrottling(root_).has_value());
}

}  // namespace
}  // namespace parity::engine
