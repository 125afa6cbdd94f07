// Cancellation, deadlines, and threads that cannot be started.
#include <atomic>
#include <system_error>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory_object.h"
#include "parity/client/object.h"
#include "stripe_columns.h"
#include "stripe_pipeline.h"

namespace parity::client {
namespace {

constexpr uint32_t kCell = 64;
constexpr size_t kStripe = 3 * kCell;
constexpr size_t kBytes = 8 * kStripe + 5;

class Limits : public testing::Test {
 protected:
  Limits() { options_.cell_bytes = kCell; }
  absl::Status Encode() {
    MemoryObject object(Noise(kBytes));
    MemoryShards shards(5);
    return EncodeObject(coder_, ReedSolomon(3, 2), object, shards.writers(), options_).status();
  }
  absl::Status Read() {
    EncodedObject encoded(ReedSolomon(3, 2), kCell, kBytes);
    return ReadObject(coder_, encoded.layout, encoded.shards.readers({0}), 0, kBytes, sink_,
                      options_)
        .status;
  }

  CheckedCoder coder_;
  MemorySink sink_;
  Cancellation cancellation_;
  ObjectOptions options_;
};

TEST_F(Limits, CancelledBeforeNothingIsDone) {
  options_.cancellation = &cancellation_;
  cancellation_.Cancel();
  EXPECT_TRUE(absl::IsCancelled(Encode()));
  EXPECT_TRUE(absl::IsCancelled(Read()));
  EXPECT_EQ(coder_.calls(), 0);
}

TEST_F(Limits, CancellationEndsCallsUnderWay) {
  options_.cancellation = &cancellation_;
  coder_.SetHook([&](const Request&, const CallOptions& call) {
    Counter cancelled;
    const Cancellation::Listener listener(call.cancellation, [&] { cancelled.Add(); });
    cancellation_.Cancel();
    return cancelled.Await(1) ? absl::CancelledError("as told") : absl::OkStatus();
  });
  options_.stripes_in_flight = 1;
  EXPECT_TRUE(absl::IsCancelled(Encode()));
  EXPECT_EQ(coder_.calls(), 1);
}

TEST_F(Limits, CancelledByProgressNoMoreIsWritten) {
  options_.cancellation = &cancellation_;
  options_.progress = [&](uint64_t done, std::optional<uint64_t>) {
    if (done == 2 * kStripe) cancellation_.Cancel();
  };
  EXPECT_TRUE(absl::IsCancelled(Read()));
  EXPECT_EQ(sink_.bytes().size(), 2 * kStripe);
}

TEST_F(Limits, PassedDeadlineNothingIsDone) {
  options_.deadline = absl::Now() - absl::Milliseconds(1);
  EXPECT_TRUE(absl::IsDeadlineExceeded(Encode()));
  EXPECT_TRUE(absl::IsDeadlineExceeded(Read()));
  EXPECT_EQ(coder_.calls(), 0);
}

TEST_F(Limits, DeadlineOfTheObjectIsThatOfItsCalls) {
  const absl::Time deadline = absl::Now() + absl::Hours(1);
  options_.deadline = deadline;
  options_.call_timeout = absl::Hours(2);
  coder_.SetHook([&](const Request&, const CallOptions& call) {
    return call.deadline == deadline ? absl::OkStatus() : absl::InternalError("another deadline");
  });
  EXPECT_EQ(Encode(), absl::OkStatus());
  EXPECT_EQ(Read(), absl::OkStatus());
}

TEST_F(Limits, EveryCallHasItsTimeout) {
  const absl::Time start = absl::Now();
  options_.deadline = start + absl::Hours(10);
  options_.call_timeout = absl::Hours(2);
  coder_.SetHook([&](const Request&, const CallOptions& call) {
    return call.deadline >= start + absl::Hours(2) && call.deadline < start + absl::Hours(3)
               ? absl::OkStatus()
               : absl::InternalError("another deadline");
  });
  EXPECT_EQ(Encode(), absl::OkStatus());
  EXPECT_EQ(Read(), absl::OkStatus());
}

TEST_F(Limits, CallThatExceedsItsTimeoutEndsTheObject) {
  options_.call_timeout = absl::ZeroDuration();
  EXPECT_TRUE(absl::IsDeadlineExceeded(Encode()));
  EXPECT_TRUE(absl::IsDeadlineExceeded(Read()));
}

TEST_F(Limits, ShardThatFailsBecauseTheObjectWasCancelledIsNotReported) {
  EncodedObject encoded(ReedSolomon(3, 2), kCell, kBytes);
  options_.cancellation = &cancellation_;
  encoded.shards[1].SetHook([&](MemoryShard::Range) {
    cancellation_.Cancel();
    return absl::CancelledError("as told");
  });
  const ObjectRead read =
      ReadObject(coder_, encoded.layout, encoded.shards.readers(), 0, kBytes, sink_, options_);
  EXPECT_TRUE(absl::IsCancelled(read.status)) << read.status;
  EXPECT_TRUE(read.failed_shards.empty());
}

// Ten stripes that note who works on them.
class NotedSteps final : public StripeSteps {
 public:
  absl::StatusOr<Begun> Begin(Stripe& stripe) override {
    return stripe.number < 10 ? Begun::kMore : Begun::kNone;
  }
  absl::Status Work(Stripe&) override {
    if (std::this_thread::get_id() == caller_) ++worked_by_caller;
    ++worked;
    return absl::OkStatus();
  }
  absl::Status End(Stripe& stripe) override {
    ended.push_back(stripe.number);
    return absl::OkStatus();
  }

  std::atomic<int> worked{0};
  std::atomic<int> worked_by_caller{0};
  std::vector<uint64_t> ended;

 private:
  const std::thread::id caller_ = std::this_thread::get_id();
};

class Threads : public testing::TestWithParam<int> {};

TEST_P(Threads, ThatCannotBeStartedAreDoneWithout) {
  int to_start = GetParam();
  const StartThread start = [&](std::function<void()> body) {
    if (to_start == 0) {
      throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    }
    --to_start;
    return std::thread(std::move(body));
  };
  ObjectOptions options;
  options.stripes_in_flight = 4;
  RunLimits limits(options);
  NotedSteps steps;
  EXPECT_EQ(RunStripes(steps, 8, options, limits, start), absl::OkStatus());
  EXPECT_THAT(steps.ended, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_EQ(steps.worked, 10);
  EXPECT_EQ(steps.worked_by_caller, GetParam() == 0 ? 10 : 0);
}

INSTANTIATE_TEST_SUITE_P(Started, Threads, testing::Values(0, 1, 4));

TEST(NoThreads, OneStripeInFlightTakesNone) {
  ObjectOptions options;
  options.stripes_in_flight = 1;
  RunLimits limits(options);
  NotedSteps steps;
  EXPECT_EQ(RunStripes(steps, 8, options, limits), absl::OkStatus());
  EXPECT_EQ(steps.worked_by_caller, 10);
}

TEST(StripeColumns, FirstAndLastCellMayNotMeet) {
  // Column 8 of shard 0 to column 3 of shard 1, cells of 10: of columns 3 to 8 nothing is wanted.
  StripeColumns columns(5, 10, 8, 13);
  using Range = StripeColumns::Range;
  EXPECT_THAT(columns.WantedAndMissing(0), testing::ElementsAre(Range{8, 10}));
  EXPECT_THAT(columns.WantedAndMissing(1), testing::ElementsAre(Range{0, 3}));
  EXPECT_TRUE(columns.WantedAndMissing(2).empty());
  const auto lost = columns.FirstLost();
  ASSERT_TRUE(lost.has_value());
  EXPECT_EQ(lost->columns, (Range{0, 3}));
  EXPECT_THAT(lost->shards, testing::ElementsAre(1));
  columns.Add(1, {0, 3});
  EXPECT_EQ(columns.FirstLost()->columns, (Range{8, 10}));
  columns.Add(0, {0, 10});
  EXPECT_FALSE(columns.FirstLost().has_value());
  EXPECT_THAT(columns.Missing(1, {0, 10}), testing::ElementsAre(Range{3, 10}));
}

}  // namespace
}  // namespace parity::client
