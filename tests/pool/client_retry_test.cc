#include <atomic>
#include <thread>

#include "absl/time/clock.h"
#include "client_fixture.h"
#include "parity/codec/field_error.h"

namespace parity::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Le;

using Retries = TwoServers;

TEST_F(Retries, GoElsewhereAndFailNoCall) {
  const auto client = Make();
  one_->Otherwise(FakeOutcome::Fails(absl::UnavailableError("going")));
  for (int i = 0; i < 200; ++i) ASSERT_EQ(Encode(*client), absl::OkStatus());
  EXPECT_EQ(two_->calls().size(), 200u);
  // Five failures in a row open the breaker; then there are trials.
  EXPECT_THAT(one_->calls().size(), Le(20u));
  EXPECT_THAT(log(), ElementsAre("127.0.0.1:1: not used until it answers: going"));
}

// One has been given up but is back; now the other goes.
TEST_F(Retries, TryAServerThatWasGivenUpRatherThanFail) {
  options_.longest_backoff = absl::Milliseconds(1);
  for (int round = 0; round < 20; ++round) {
    const auto client = Make();
    one_->Next(FakeOutcome::Fails(absl::UnavailableError("going")), 5);
    while (client->GetStats().servers[0].usable) ASSERT_EQ(Encode(*client), absl::OkStatus());
    two_->Die();
    EXPECT_EQ(Encode(*client), absl::OkStatus());
    two_->Revive();
  }
}

TEST_F(Retries, BringBackAServerThatAnswersAgain) {
  const auto client = Make();
  one_->Next(FakeOutcome::Fails(absl::UnavailableError("going")), 5);
  // However long the breaker stays open, a trial closes it.
  const absl::Time give_up = absl::Now() + absl::Seconds(30);
  while (log().size() < 2 && absl::Now() < give_up) ASSERT_EQ(Encode(*client), absl::OkStatus());
  EXPECT_THAT(log(), ElementsAre(HasSubstr("not used"), "127.0.0.1:1: answers again"));
}

TEST_F(Retries, ShareOutCallsByBytesInFlight) {
  const auto client = Make();
  one_->Next(FakeOutcome::Waits());
  two_->Next(FakeOutcome::Waits());
  std::thread busy([&] { EXPECT_EQ(Encode(*client, 100'000), absl::OkStatus()); });
  while (one_->calls_under_way() + two_->calls_under_way() == 0) std::this_thread::yield();
  FakeServer& loaded = one_->calls_under_way() > 0 ? *one_ : *two_;
  FakeServer& free = &loaded == one_.get() ? *two_ : *one_;
  free.ReleaseAll();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Encode(*client), absl::OkStatus());
  EXPECT_EQ(free.calls().size(), 20u);
  EXPECT_EQ(loaded.calls().size(), 1u);
  loaded.ReleaseAll();
  busy.join();
}

TEST_F(Retries, EndAfterSoManyAttemptsAtTheOnlyServer) {
  options_.max_attempts = 3;
  const auto client = MakeOfOne();
  one_->Next(FakeOutcome::Fails(absl::UnavailableError("going")), 2);
  EXPECT_EQ(Encode(*client), absl::OkStatus());
  EXPECT_EQ(client->GetStats().retries, 2u);
  one_->Next(FakeOutcome::Fails(absl::UnavailableError("gone")), 3);
  const absl::Status status = Encode(*client);
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("gone"));
  EXPECT_EQ(one_->calls().size(), 6u);
}

TEST_F(Retries, AreBoundedByTheBudgetWhileServersFail) {
  options_.retry_tokens = 10;
  options_.retry_ratio = 0.1;
  const auto client = Make();
  // Never so many failures in a row that a server is given up.
  std::atomic<int> asked{0};
  const auto mostly_fails = [&asked](const Request&) {
    return ++asked % 4 == 0 ? FakeOutcome::Succeeds()
                            : FakeOutcome::Fails(absl::UnavailableError("busy"));
  };
  one_->Otherwise(mostly_fails);
  two_->Otherwise(mostly_fails);
  constexpr size_t kCalls = 1'000;
  for (size_t i = 0; i < kCalls; ++i) static_cast<void>(Encode(*client));
  const ClientStats stats = client->GetStats();
  EXPECT_EQ(Calls(), kCalls + stats.retries);
  EXPECT_GE(stats.retries, 10u);
  EXPECT_THAT(stats.retries, Le(10 + kCalls / 10));
  EXPECT_GT(stats.retries_refused, 0u);
}

TEST_F(Retries, FollowACallThatTheServerHasCancelled) {
  const auto client = Make();
  one_->Next(FakeOutcome::Fails(absl::CancelledError("reset")));
  two_->Next(FakeOutcome::Fails(absl::CancelledError("reset")));
  EXPECT_EQ(Encode(*client), absl::OkStatus());
  EXPECT_EQ(client->GetStats().retries, 2u);
}

TEST_F(Retries, AreNotMadeOfWhatNoServerWouldDo) {
  const auto client = Make();
  for (const auto& server : {one_, two_}) {
    server->Otherwise(
        FakeOutcome::Fails(codec::InvalidField("shards[1]", "odd", "something else")));
  }
  const absl::Status status = Encode(*client);
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_EQ(codec::FieldOf(status), "shards[1]");
  EXPECT_EQ(Calls(), 1u);
}

TEST_F(Retries, WaitAsLongAsAnOverloadedServerAsks) {
  const auto client = MakeOfOne();
  const absl::Duration asked = absl::Milliseconds(30);
  one_->Next(FakeOutcome::PushesBack(asked), 10);
  const absl::Time start = absl::Now();
  EXPECT_EQ(Encode(*client), absl::OkStatus());  // though max_attempts is 8: they were asked for
  EXPECT_GE(absl::Now() - start, 10 * asked);
  EXPECT_EQ(client->GetStats().pushbacks, 10u);
  EXPECT_EQ(client->GetStats().retries, 0u);
}

TEST_F(Retries, GoToTheOtherServerWhileOneIsOverloaded) {
  const auto client = Make();
  one_->Otherwise(FakeOutcome::PushesBack(absl::Hours(1)));  // heeded for 30 s
  for (int i = 0; i < 50; ++i) ASSERT_EQ(Encode(*client), absl::OkStatus());
  EXPECT_EQ(one_->calls().size(), 1u);
}

TEST_F(Retries, EndWithTheDeadlineOfAnOverloadedServer) {
  options_.deadline = absl::Milliseconds(100);
  const auto client = MakeOfOne();
  one_->Otherwise(FakeOutcome::PushesBack(absl::Seconds(20)));
  const absl::Time start = absl::Now();
  EXPECT_TRUE(absl::IsResourceExhausted(Encode(*client)));
  EXPECT_LT(absl::Now() - start, absl::Seconds(10));
}

TEST_F(Retries, SendADamagedShardOnceMore) {
  const auto client = Make();
  one_->Next(FakeOutcome::LosesShard(1));
  two_->Next(FakeOutcome::LosesShard(1));
  const absl::Status twice = Encode(*client);
  EXPECT_TRUE(absl::IsDataLoss(twice)) << twice;
  EXPECT_EQ(codec::FieldOf(twice), "shards[1]");
  EXPECT_EQ(Calls(), 2u);
  one_->Next(FakeOutcome::LosesShard(0));
  two_->Next(FakeOutcome::Succeeds());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Encode(*client), absl::OkStatus());
  EXPECT_EQ(client->GetStats().damaged_shards, 3u);
  EXPECT_THAT(log(), ::testing::Contains(HasSubstr("127.0.0.1:1: shards[0]")));
}

TEST_F(Retries, DoNotWaitForAFrozenServer) {
  options_.attempt_timeout = absl::Milliseconds(50);
  const auto client = Make();
  one_->Otherwise(FakeOutcome::Freezes());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Encode(*client), absl::OkStatus());
  EXPECT_GT(one_->calls().size(), 0u);
}

TEST_F(Retries, GiveUpAFrozenServerAtOnce) {
  options_.attempt_timeout = absl::Milliseconds(300);
  const auto client = Make();
  one_->Otherwise(FakeOutcome::Freezes());
  for (int i = 0; i < 50; ++i) ASSERT_EQ(Encode(*client), absl::OkStatus());
  EXPECT_EQ(one_->calls().size(), 1u);
}

TEST_F(Retries, AreNotHastenedByAServerThatAsksForNoTime) {
  options_.deadline = absl::Milliseconds(300);
  options_.first_backoff = options_.longest_backoff = absl::Milliseconds(20);
  const auto client = MakeOfOne();
  one_->Otherwise(FakeOutcome::PushesBack(absl::Nanoseconds(1)));
  EXPECT_FALSE(Encode(*client).ok());
  EXPECT_THAT(one_->calls().size(), Le(61u));  // twice after each pause of 10 ms at least
}

TEST_F(Retries, EndByTheDeadlineOfTheCall) {
  const auto client = MakeOfOne();
  one_->Otherwise(FakeOutcome::Freezes());
  CallOptions options;
  options.deadline = absl::Now() + absl::Milliseconds(50);
  const absl::Status status = Encode(*client, 1'000, options);
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  EXPECT_GE(absl::Now(), options.deadline);
}

TEST_F(Retries, EndWhenCancelled) {
  const auto client = MakeOfOne();
  one_->Otherwise(FakeOutcome::Freezes());
  Cancellation cancellation;
  std::thread canceller([&] {
    EXPECT_TRUE(one_->AwaitWaiting(1));
    cancellation.Cancel();
  });
  CallOptions options;
  options.cancellation = &cancellation;
  EXPECT_TRUE(absl::IsCancelled(Encode(*client, 1'000, options)));
  canceller.join();
  EXPECT_TRUE(absl::IsCancelled(Encode(*client, 1'000, options)));
  EXPECT_EQ(one_->calls().size(), 1u);
  // Being cancelled is no fault of the server.
  one_->Otherwise(FakeOutcome::Succeeds());
  EXPECT_EQ(Encode(*client), absl::OkStatus());
}

TEST_F(Retries, EndWhenCancelledBetweenAttempts) {
  const auto client = MakeOfOne();
  one_->Otherwise(FakeOutcome::PushesBack(absl::Seconds(20)));
  Cancellation cancellation;
  std::thread canceller([&] {
    EXPECT_TRUE(one_->AwaitCalls(1));
    while (client->GetStats().pushbacks == 0) std::this_thread::yield();
    cancellation.Cancel();
  });
  CallOptions options;
  options.cancellation = &cancellation;
  const absl::Time start = absl::Now();
  EXPECT_TRUE(absl::IsCancelled(Encode(*client, 1'000, options)));
  EXPECT_LT(absl::Now() - start, absl::Seconds(15));
  canceller.join();
}

}  // namespace
}  // namespace parity::client
