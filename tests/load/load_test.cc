#include "parity/load/load.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "absl/synchronization/notification.h"
#include "fakes.h"

namespace parity::load {
namespace {

using client::Operation;
using client::Request;

constexpr Operation kOperations[] = {Operation::kEncode, Operation::kReconstruct,
                                     Operation::kVerify, Operation::kUpdate};

LoadOptions CheckedLoad(FakeClock& clock, OperationMix operations) {
  LoadOptions options = LoadBy(clock, absl::Milliseconds(1));
  options.work.operations = std::move(operations);
  options.work.shard_bytes = {{1, 1}, {100, 1}, {5000, 1}};
  options.work.lost_shards = 2;
  options.work.check = true;
  return options;
}

OperationMix AllOperations() {
  return {{Operation::kEncode, 1},
          {Operation::kReconstruct, 1},
          {Operation::kVerify, 1},
          {Operation::kUpdate, 1}};
}

TEST(Check, FindsNothingWrongWithACoderThatIsRight) {
  const auto local = client::MakeLocalCoder();
  ASSERT_TRUE(local.ok());
  for (const bool unaligned : {false, true}) {
    FakeClock clock;
    LoadOptions options = CheckedLoad(clock, AllOperations());
    options.work.unaligned = unaligned;
    FakeCoder coder([&](uint64_t, const Request& request, const client::CallOptions& call) {
      for (const uint8_t* output : request.outputs) {
        EXPECT_EQ(reinterpret_cast<uintptr_t>(output) % 2, unaligned ? 1 : 0);
      }
      clock.Advance(1000);
      return (*local)->Run(request, call);
    });
    const auto result = RunLoad(coder, SomeGeometry(), options);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_FALSE(result->mismatch) << result->mismatch->ToString();
    EXPECT_EQ(result->calls, 1000);
    EXPECT_EQ(result->checked_calls, 1000);
    for (const uint64_t calls : result->by_operation) EXPECT_GT(calls, 0);
  }
}

// What a coder has got wrong once: the first byte of the stripe's last shard that it gives.
void Corrupt(const Request& request) {
  if (request.operation != Operation::kVerify) {
    request.outputs.back()[request.shard_bytes - 1] ^= 0x10;
  } else if (request.report->consistent()) {
    request.report->mismatches = {{5, request.shard_bytes - 1}};
  } else {
    *request.report = {};
  }
}

TEST(Check, CatchesOneByteThatIsWrong) {
  const auto local = client::MakeLocalCoder();
  ASSERT_TRUE(local.ok());
  for (const Operation operation : kOperations) {
    FakeClock clock;
    size_t corrupt_bytes = 0;
    FakeCoder coder([&](uint64_t number, const Request& request, const client::CallOptions& call) {
      clock.Advance(1000);
      absl::Status status = (*local)->Run(request, call);
      if (number == 20) {
        corrupt_bytes = request.shard_bytes;
        Corrupt(request);
      }
      return status;
    });
    const auto result = RunLoad(coder, SomeGeometry(), CheckedLoad(clock, {{operation, 1}}));
    ASSERT_TRUE(result.ok()) << result.status();
    ASSERT_TRUE(result->mismatch) << client::NameOf(operation);
    EXPECT_EQ(result->checked_calls, 21);
    EXPECT_EQ(result->mismatch->operation, operation);
    EXPECT_EQ(result->mismatch->shard_bytes, corrupt_bytes);
    if (operation == Operation::kVerify) continue;
    EXPECT_EQ(result->mismatch->offset, corrupt_bytes - 1);
    if (operation != Operation::kReconstruct) {
      EXPECT_EQ(result->mismatch->shard, 5);
    }
    EXPECT_NE(result->mismatch->ToString().find("got 0x"), std::string::npos);
  }
}

TEST(Check, CatchesACoderThatDoesNothing) {
  for (const Operation operation : kOperations) {
    FakeClock clock;
    FakeCoder coder([&](uint64_t, const Request&, const client::CallOptions&) {
      clock.Advance(1000);
      return absl::OkStatus();
    });
    const auto result = RunLoad(coder, SomeGeometry(), CheckedLoad(clock, {{operation, 1}}));
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_TRUE(result->mismatch) << client::NameOf(operation);
  }
}

// Where it should write there is still what it wrote two calls before, for the same stripe.
TEST(Check, CatchesACoderThatLeavesWhatWasThere) {
  const auto local = client::MakeLocalCoder();
  ASSERT_TRUE(local.ok());
  FakeClock clock;
  std::vector<Operation> before;
  bool has_left = false;
  FakeCoder coder([&](uint64_t, const Request& request, const client::CallOptions& call) {
    clock.Advance(1000);
    const size_t calls = before.size();
    const bool leaves = !has_left && calls > 50 && request.operation == Operation::kEncode &&
                        before[calls - 1] == Operation::kVerify &&
                        before[calls - 2] == Operation::kEncode;
    before.push_back(request.operation);
    has_left |= leaves;
    return leaves ? absl::OkStatus() : (*local)->Run(request, call);
  });
  LoadOptions options = CheckedLoad(clock, {{Operation::kEncode, 1}, {Operation::kVerify, 1}});
  options.work.shard_bytes = {{100, 1}};
  const auto result = RunLoad(coder, SomeGeometry(), options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(has_left);
  EXPECT_TRUE(result->mismatch);
}

TEST(Load, CountsErrorsByCodeAndGoesOn) {
  FakeClock clock;
  FakeCoder coder([&](uint64_t call, const Request&, const client::CallOptions&) {
    clock.Advance(1000);
    if (call % 10 == 3) return absl::ResourceExhaustedError(call == 3 ? "the first" : "another");
    return call % 10 == 4 ? absl::UnavailableError("gone") : absl::OkStatus();
  });
  const auto result = RunLoad(coder, SomeGeometry(), LoadBy(clock, absl::Milliseconds(1)));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->calls, 800);
  EXPECT_EQ(result->failed_calls(), 200);
  ASSERT_EQ(result->errors.size(), 2);
  EXPECT_EQ(result->errors.at(absl::StatusCode::kResourceExhausted).count, 100);
  EXPECT_EQ(result->errors.at(absl::StatusCode::kResourceExhausted).first, "the first");
  EXPECT_EQ(result->errors.at(absl::StatusCode::kUnavailable).count, 100);
  EXPECT_EQ(result->service.count(), 800);
}

TEST(Load, DoesNotCountTheWarmUp) {
  for (const bool open : {false, true}) {
    FakeClock clock;
    uint64_t made = 0;
    FakeCoder coder([&](uint64_t, const Request&, const client::CallOptions&) {
      clock.Advance(1000);
      ++made;
      return absl::OkStatus();
    });
    LoadOptions options = LoadBy(clock, absl::Milliseconds(10));
    options.warmup = absl::Milliseconds(5);
    if (open) options.rate = 100000;
    const auto result = RunLoad(coder, SomeGeometry(), options);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->calls, open ? 1000 : 10000);
    EXPECT_EQ(made, open ? 1500 : 15000);
    EXPECT_DOUBLE_EQ(result->seconds, 0.01);
  }
}

// A rate ten times too high: what the warm-up leaves is not made up for when it is measured.
TEST(Load, BeginsToMeasureWithoutABacklog) {
  FakeClock clock;
  FakeCoder coder([&](uint64_t, const Request&, const client::CallOptions&) {
    clock.Advance(10'000'000);
    return absl::OkStatus();
  });
  LoadOptions options = LoadBy(clock, absl::Seconds(1));
  options.warmup = absl::Seconds(1);
  options.rate = 1000;
  const auto result = RunLoad(coder, SomeGeometry(), options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->calls, 100);
  EXPECT_EQ(result->unfinished_calls, 900);
}

// The threads meet: none goes on before all have a call under way.
TEST(Load, EveryThreadHasACallUnderWay) {
  constexpr int kThreads = 5;
  for (const bool open : {false, true}) {
    FakeClock clock;
    std::atomic<int> under_way{0};
    absl::Notification all;
    std::mutex mutex;
    std::set<const uint8_t*> outputs;
    FakeCoder coder([&](uint64_t, const Request& request, const client::CallOptions&) {
      {
        const std::lock_guard<std::mutex> lock(mutex);
        outputs.insert(request.outputs.front());
      }
      if (++under_way == kThreads) all.Notify();
      all.WaitForNotification();
      clock.Advance(1000000);
      return absl::OkStatus();
    });
    LoadOptions options = LoadBy(clock, absl::Milliseconds(100));
    options.threads = kThreads;
    if (open) options.rate = 1000;
    const auto result = RunLoad(coder, SomeGeometry(), options);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_GE(result->calls, kThreads);
    EXPECT_EQ(outputs.size(), kThreads);
    if (open) {
      EXPECT_EQ(result->calls + result->unfinished_calls, 100);
    }
  }
}

TEST(Load, ThatIsStoppedCancelsWhatIsUnderWay) {
  for (const bool open : {false, true}) {
    FakeClock clock;
    absl::Notification hangs;
    FakeCoder coder([&](uint64_t call, const Request&, const client::CallOptions& options) {
      if (call < 10) {
        clock.Advance(1000000);
        return absl::OkStatus();
      }
      absl::Notification cancelled;
      const client::Cancellation::Listener listener(options.cancellation,
                                                    [&] { cancelled.Notify(); });
      clock.Advance(1000000);
      hangs.Notify();
      cancelled.WaitForNotification();
      return absl::CancelledError("cancelled");
    });
    LoadOptions options = LoadBy(clock, absl::Hours(1));
    options.is_stopped = [&] { return hangs.HasBeenNotified(); };
    if (open) options.rate = 1000;
    const auto result = RunLoad(coder, SomeGeometry(), options);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->calls, 10);
    EXPECT_EQ(result->failed_calls(), 0);
    EXPECT_EQ(result->unfinished_calls, open ? 1 : 0);
    EXPECT_DOUBLE_EQ(result->seconds, 0.011);
  }
}

TEST(Load, LosesAsManyShardsAsItIsTold) {
  FakeClock clock;
  LoadOptions options = LoadBy(clock, absl::Milliseconds(1));
  options.work.operations = {{Operation::kReconstruct, 1}};
  options.work.lost_shards = 2;
  std::set<uint32_t> lost;
  FakeCoder coder([&](uint64_t, const Request& request, const client::CallOptions&) {
    clock.Advance(1000);
    EXPECT_EQ(request.wanted.size(), 2);
    EXPECT_EQ(request.indices.size(), 4);
    lost.insert(request.wanted.begin(), request.wanted.end());
    return absl::OkStatus();
  });
  ASSERT_TRUE(RunLoad(coder, SomeGeometry(), options).ok());
  EXPECT_EQ(lost.size(), 6);
}

TEST(Load, NeedsMemory) {
  FakeClock clock;
  LoadOptions options = LoadBy(clock, absl::Milliseconds(1));
  options.work.allocate = [](size_t) { return absl::ResourceExhaustedError("no memory"); };
  FakeCoder coder(
      [](uint64_t, const Request&, const client::CallOptions&) { return absl::OkStatus(); });
  EXPECT_EQ(RunLoad(coder, SomeGeometry(), options).status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace parity::load
