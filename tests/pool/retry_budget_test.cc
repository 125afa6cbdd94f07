#include "retry_budget.h"

#include <atomic>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace parity::client {
namespace {

int WithdrawAll(RetryBudget& budget) {
  int taken = 0;
  while (budget.Withdraw()) ++taken;
  return taken;
}

TEST(RetryBudget, StartsWithAHundredTokensAndHoldsNoMore) {
  RetryBudget budget;
  for (int i = 0; i < 50; ++i) budget.OnSuccess();
  EXPECT_EQ(WithdrawAll(budget), 100);
  EXPECT_FALSE(budget.Withdraw());
  for (int i = 0; i < 5'000; ++i) budget.OnSuccess();
  EXPECT_EQ(budget.tokens(), 100);
  EXPECT_EQ(WithdrawAll(budget), 100);
}

TEST(RetryBudget, TenSuccessesPayForOneRetry) {
  RetryBudget budget;
  WithdrawAll(budget);
  for (int i = 0; i < 9; ++i) budget.OnSuccess();
  EXPECT_FALSE(budget.Withdraw());
  budget.OnSuccess();
  EXPECT_TRUE(budget.Withdraw());
  EXPECT_FALSE(budget.Withdraw());
}

TEST(RetryBudget, BoundsTheLoadOnServersThatFail) {
  for (const int failing_of_ten : {1, 5, 10}) {
    RetryBudget budget;
    constexpr int kFirstAttempts = 100'000;
    int64_t attempts = 0;
    for (int call = 0; call < kFirstAttempts; ++call) {
      ++attempts;
      if (call % 10 >= failing_of_ten) {
        budget.OnSuccess();
        continue;
      }
      for (int retry = 0; retry < 3 && budget.Withdraw(); ++retry) ++attempts;
    }
    EXPECT_LE(attempts, kFirstAttempts * 1.1 + 100) << failing_of_ten;
    EXPECT_GE(attempts, kFirstAttempts + 100) << failing_of_ten;
  }
}

TEST(RetryBudget, MayBeEmptyOrPayNothingBack) {
  RetryBudget none({0, 0.1});
  none.OnSuccess();
  EXPECT_FALSE(none.Withdraw());
  RetryBudget once({2, 0});
  EXPECT_EQ(WithdrawAll(once), 2);
  for (int i = 0; i < 1'000; ++i) once.OnSuccess();
  EXPECT_FALSE(once.Withdraw());
  RetryBudget endless({1e300, 1e300});
  EXPECT_EQ(endless.tokens(), 1e6);
  EXPECT_TRUE(endless.Withdraw());
  endless.OnSuccess();
  EXPECT_EQ(endless.tokens(), 1e6);
}

TEST(RetryBudget, LosesAndMakesUpNothingAmongThreads) {
  constexpr int kTokens = 500'000;
  constexpr int kThreads = 4;
  constexpr int kSuccesses = 200'000;  // of a thread, which do not fill it
  RetryBudget budget({kTokens, 0.1});
  std::atomic<int> taken{0};
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int id = 0; id < kThreads; ++id) {
    threads.emplace_back([&] {
      ++ready;
      while (ready < kThreads) std::this_thread::yield();
      taken += WithdrawAll(budget);
      ++ready;
      while (ready < 2 * kThreads) std::this_thread::yield();
      for (int i = 0; i < kSuccesses; ++i) budget.OnSuccess();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken, kTokens);
  EXPECT_EQ(WithdrawAll(budget), kThreads * kSuccesses / 10);
}

}  // namespace
}  // namespace parity::client
