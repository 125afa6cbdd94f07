#include <thread>

#include "client_fixture.h"

namespace parity::client {
namespace {

class Hedges : public TwoServers {
 protected:
  Hedges() { options_.hedge_after = absl::Milliseconds(20); }

  // Whichever server is asked first waits; the other answers.
  void FirstWaits() {
    one_->Otherwise([this](const Request&) { return FirstOf(); });
    two_->Otherwise([this](const Request&) { return FirstOf(); });
  }

 private:
  FakeOutcome FirstOf() {
    return asked_.exchange(true) ? FakeOutcome::Succeeds() : FakeOutcome::Waits();
  }
  std::atomic<bool> asked_{false};
};

TEST_F(Hedges, AnswerInsteadOfASlowServer) {
  const auto client = Make();
  FirstWaits();
  EXPECT_EQ(Reconstruct(*client), absl::OkStatus());
  EXPECT_EQ(Calls(), 2u);
  EXPECT_EQ(one_->calls_under_way() + two_->calls_under_way(), 0) << "nothing is left behind";
  const ClientStats stats = client->GetStats();
  EXPECT_EQ(stats.hedges, 1u);
  EXPECT_EQ(stats.hedges_won, 1u);
  EXPECT_EQ(stats.remote_slices, 1u);
}

TEST_F(Hedges, ReportWhatTheFasterHasFound) {
  const auto client = Make();
  FirstWaits();
  const std::vector<uint8_t> a(100, 1), b(100, 2), p(100, 4);
  const auto report = client->Verify(xor_, {ShardBytes(a), ShardBytes(b), ShardBytes(p)}, 100);
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->mismatches.size(), 1u);
  EXPECT_EQ(report->mismatches[0].offset, 0u);
}

TEST_F(Hedges, AreForReadsOnly) {
  const auto client = Make();
  one_->Otherwise(FakeOutcome::Waits());
  two_->Otherwise(FakeOutcome::Waits());
  std::thread caller([&] { EXPECT_EQ(Encode(*client), absl::OkStatus()); });
  while (one_->calls_under_way() + two_->calls_under_way() == 0) std::this_thread::yield();
  one_->ReleaseAll();
  two_->ReleaseAll();
  caller.join();
  EXPECT_EQ(Calls(), 1u);
  EXPECT_EQ(client->GetStats().hedges, 0u);
}

TEST_F(Hedges, CostATokenOfTheBudget) {
  options_.retry_tokens = 0;
  const auto client = Make();
  one_->Otherwise(FakeOutcome::Waits());
  two_->Otherwise(FakeOutcome::Waits());
  CallOptions options;
  options.deadline = absl::Now() + absl::Milliseconds(100);
  EXPECT_TRUE(absl::IsDeadlineExceeded(Reconstruct(*client, options)));
  EXPECT_EQ(Calls(), 1u);
}

TEST_F(Hedges, EndWhenTheCallIsCancelled) {
  const auto client = Make();
  one_->Otherwise(FakeOutcome::Waits());
  two_->Otherwise(FakeOutcome::Waits());
  Cancellation cancellation;
  std::thread canceller([&] {
    EXPECT_TRUE(one_->AwaitWaiting(1));
    EXPECT_TRUE(two_->AwaitWaiting(1));
    cancellation.Cancel();
  });
  CallOptions options;
  options.cancellation = &cancellation;
  EXPECT_TRUE(absl::IsCancelled(Reconstruct(*client, options)));
  canceller.join();
}

TEST_F(Hedges, LeaveTheFirstItsAnswerIfTheSecondFails) {
  const auto client = Make();
  std::atomic<bool> asked{false};
  const auto second_fails = [&](const Request&) {
    return asked.exchange(true) ? FakeOutcome::Fails(absl::UnavailableError(""))
                                : FakeOutcome::Waits();
  };
  one_->Otherwise(second_fails);
  two_->Otherwise(second_fails);
  std::thread releaser([&] {
    while (client->GetStats().hedges == 0 || Calls() < 2) std::this_thread::yield();
    one_->ReleaseAll();
    two_->ReleaseAll();
  });
  EXPECT_EQ(Reconstruct(*client), absl::OkStatus());
  releaser.join();
}

// Else every call would have to wait for it first, and would cost a token.
TEST_F(Hedges, GiveUpAServerThatIsAlwaysSlower) {
  options_.hedge_after = absl::Milliseconds(1);
  const auto client = Make();
  one_->Otherwise(FakeOutcome::Freezes());
  for (int i = 0; i < 200; ++i) ASSERT_EQ(Reconstruct(*client), absl::OkStatus());
  EXPECT_LT(one_->calls().size(), 50u);
}

}  // namespace
}  // namespace parity::client
