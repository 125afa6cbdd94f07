#include "parity/client/async_coder.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parity/client/future.h"
#include "parity/client/local_coder.h"

namespace parity::client {
namespace {

// The local coder; calls wait until it is opened.
class GatedCoder final : public Coder {
 public:
  absl::Status Run(const Request& request, const CallOptions& options) override {
    std::unique_lock<std::mutex> lock(mutex_);
    ++calls_;
    most_at_once_ = std::max(most_at_once_, ++at_once_);
    changed_.notify_all();
    const bool opened =
        changed_.wait_for(lock, std::chrono::minutes(1), [this] { return is_open_; });
    --at_once_;
    lock.unlock();
    if (!opened) return absl::InternalError("nobody opened the gate");
    return local_->Run(request, options);
  }

  void Open() {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  // False if it takes more than a minute: then the test has failed.
  bool AwaitAtOnce(int calls) {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(1), [&] { return at_once_ >= calls; });
  }
  int calls() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return calls_;
  }
  int most_at_once() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return most_at_once_;
  }

 private:
  const std::unique_ptr<Coder> local_ = *MakeLocalCoder();
  std::mutex mutex_;  // of the next
  std::condition_variable changed_;
  bool is_open_ = false;
  int calls_ = 0;
  int at_once_ = 0;
  int most_at_once_ = 0;
};

// 2 data shards of 4 bytes and their XOR.
class AsyncCoderTest : public testing::Test {
 protected:
  // What no callback has got.
  static absl::Status None() { return absl::UnknownError("no callback"); }
  void Encode(AsyncCoder& async, AsyncCoder::Callback callback) {
    // Lists that end before the call does.
    const std::vector<ShardBytes> data{a_, b_};
    const std::vector<uint8_t*> out{parity_.data()};
    async.EncodeAsync(geometry_, data, 4, out, {}, std::move(callback));
  }

  const codec::Geometry geometry_ = *codec::Geometry::Make(codec::Code::kXor, 2, 1);
  const std::vector<uint8_t> a_{1, 2, 3, 4};
  const std::vector<uint8_t> b_{16, 32, 48, 64};
  const std::vector<uint8_t> a_xor_b_{17, 34, 51, 68};
  std::vector<uint8_t> parity_ = std::vector<uint8_t>(4);
  GatedCoder coder_;
};

TEST_F(AsyncCoderTest, EncodesAndVerifies) {
  AsyncCoder async(coder_);
  FutureStatus encoded;
  Encode(async, encoded.callback());
  EXPECT_TRUE(coder_.AwaitAtOnce(1));
  EXPECT_EQ(parity_, std::vector<uint8_t>(4));
  coder_.Open();
  EXPECT_EQ(encoded.future().get(), absl::OkStatus());
  EXPECT_EQ(parity_, a_xor_b_);

  parity_[2] ^= 1;
  FutureOf<absl::StatusOr<codec::VerifyReport>> verified;
  async.VerifyAsync(geometry_, {a_, b_, parity_}, 4, {}, verified.callback());
  const auto report = verified.future().get();
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->mismatches.size(), 1u);
  EXPECT_EQ(report->first_offset(), 2u);
}

TEST_F(AsyncCoderTest, ReconstructsAndUpdates) {
  coder_.Open();
  AsyncCoder async(coder_);
  std::vector<uint8_t> restored(4);
  FutureStatus reconstructed;
  async.ReconstructAsync(geometry_, {0, 2}, {a_, a_xor_b_}, 4, {1}, {restored.data()}, {},
                         reconstructed.callback());
  EXPECT_EQ(reconstructed.future().get(), absl::OkStatus());
  EXPECT_EQ(restored, b_);

  parity_ = a_xor_b_;
  FutureStatus updated;
  async.UpdateAsync(geometry_, {1}, {b_}, {a_}, 4, {parity_.data()}, {}, updated.callback());
  EXPECT_EQ(updated.future().get(), absl::OkStatus());
  EXPECT_EQ(parity_, std::vector<uint8_t>(4));  // a xor a
}

TEST_F(AsyncCoderTest, ErrorsReachTheCallback) {
  coder_.Open();
  AsyncCoder async(coder_);
  FutureStatus encoded;
  async.EncodeAsync(geometry_, {a_}, 4, {parity_.data()}, {}, encoded.callback());
  EXPECT_TRUE(absl::IsInvalidArgument(encoded.future().get()));
  FutureOf<absl::StatusOr<codec::VerifyReport>> verified;
  async.VerifyAsync(geometry_, {a_, b_}, 4, {}, verified.callback());
  EXPECT_TRUE(absl::IsInvalidArgument(verified.future().get().status()));
}

TEST_F(AsyncCoderTest, OptionsReachTheCoder) {
  coder_.Open();
  AsyncCoder async(coder_);
  Cancellation cancellation;
  cancellation.Cancel();
  FutureStatus cancelled;
  async.EncodeAsync(geometry_, {a_, b_}, 4, {parity_.data()},
                    {absl::InfiniteFuture(), &cancellation}, cancelled.callback());
  EXPECT_TRUE(absl::IsCancelled(cancelled.future().get()));
}

TEST_F(AsyncCoderTest, AsManyRunAtOnceAsThereAreThreads) {
  std::vector<std::vector<uint8_t>> outputs(7, std::vector<uint8_t>(4));
  std::vector<FutureStatus> encoded(7);
  AsyncOptions options;
  options.threads = 3;
  AsyncCoder async(coder_, options);
  for (size_t i = 0; i < 7; ++i) {
    async.EncodeAsync(geometry_, {a_, b_}, 4, {outputs[i].data()}, {}, encoded[i].callback());
  }
  EXPECT_TRUE(coder_.AwaitAtOnce(3));
  coder_.Open();
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(encoded[i].future().get(), absl::OkStatus());
    EXPECT_EQ(outputs[i], a_xor_b_);
  }
  EXPECT_EQ(coder_.most_at_once(), 3);
}

TEST_F(AsyncCoderTest, FullQueueRefusesBeforeItReturns) {
  AsyncOptions options;
  options.threads = 1;
  options.most_queued = 1;
  AsyncCoder async(coder_, options);
  FutureStatus runs;
  FutureStatus waits;
  Encode(async, runs.callback());
  EXPECT_TRUE(coder_.AwaitAtOnce(1));
  Encode(async, waits.callback());
  absl::Status refused = None();
  std::thread::id thread;
  Encode(async, [&](absl::Status status) {
    refused = std::move(status);
    thread = std::this_thread::get_id();
  });
  EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
  EXPECT_EQ(thread, std::this_thread::get_id());
  absl::StatusOr<codec::VerifyReport> verified = None();
  async.VerifyAsync(geometry_, {a_, b_, parity_}, 4, {}, [&](auto report) { verified = report; });
  EXPECT_TRUE(absl::IsResourceExhausted(verified.status())) << verified.status();

  coder_.Open();
  EXPECT_EQ(runs.future().get(), absl::OkStatus());
  EXPECT_EQ(waits.future().get(), absl::OkStatus());
  EXPECT_EQ(coder_.calls(), 2);
}

TEST_F(AsyncCoderTest, DestructorAwaitsWhatRunsAndCancelsWhatWaits) {
  AsyncOptions options;
  options.threads = 1;
  std::optional<AsyncCoder> async(std::in_place, coder_, options);
  std::vector<absl::Status> waited;
  std::vector<uint8_t> never(4);
  FutureStatus runs;
  Encode(*async, runs.callback());
  EXPECT_TRUE(coder_.AwaitAtOnce(1));
  async->EncodeAsync(geometry_, {a_, b_}, 4, {never.data()}, {},
                     [&](absl::Status status) { waited.push_back(std::move(status)); });
  // What runs ends only after what waits has been cancelled.
  async->VerifyAsync(geometry_, {a_, b_, parity_}, 4, {}, [&](auto report) {
    waited.push_back(report.status());
    coder_.Open();
  });
  async.reset();
  EXPECT_THAT(waited, testing::ElementsAre(testing::Truly(absl::IsCancelled),
                                           testing::Truly(absl::IsCancelled)));
  EXPECT_EQ(never, std::vector<uint8_t>(4));
  ASSERT_EQ(runs.future().wait_for(std::chrono::seconds(0)), std::future_status::ready);
  EXPECT_EQ(runs.future().get(), absl::OkStatus());
  EXPECT_EQ(parity_, a_xor_b_);
  EXPECT_EQ(coder_.calls(), 1);
}

TEST_F(AsyncCoderTest, CallbackMayCallAgain) {
  coder_.Open();
  AsyncOptions options;
  options.threads = 1;
  AsyncCoder async(coder_, options);
  FutureStatus second;
  Encode(async, [&](const absl::Status&) { Encode(async, second.callback()); });
  EXPECT_EQ(second.future().get(), absl::OkStatus());
}

TEST_F(AsyncCoderTest, ForkedChildIsRefusedAndLeavesAllAsItIs) {
  AsyncOptions options;
  options.threads = 1;
  std::optional<AsyncCoder> async(std::in_place, coder_, options);
  FutureStatus runs;
  Encode(*async, runs.callback());
  EXPECT_TRUE(coder_.AwaitAtOnce(1));
  int waited = 0;
  std::vector<uint8_t> out(4);
  async->EncodeAsync(geometry_, {a_, b_}, 4, {out.data()}, {},
                     [&](const absl::Status&) { ++waited; });
  const pid_t child = fork();
  if (child == 0) {
    absl::Status refused = None();
    Encode(*async, [&](absl::Status status) { refused = std::move(status); });
    alarm(60);  // a child that waits for threads it has not is killed
    async.reset();
    _exit(absl::IsFailedPrecondition(refused) && waited == 0 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  coder_.Open();
  EXPECT_EQ(runs.future().get(), absl::OkStatus());
  async.reset();
  EXPECT_EQ(waited, 1);
}

TEST(Future, OutlivesWhatItCameFrom) {
  std::future<absl::Status> future;
  std::function<void(absl::Status)> callback;
  {
    FutureStatus status;
    callback = status.callback();
    future = std::move(status.future());
  }
  callback(absl::InternalError("as told"));
  EXPECT_EQ(future.get(), absl::InternalError("as told"));
}

}  // namespace
}  // namespace parity::client
