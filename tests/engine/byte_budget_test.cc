#include "parity/engine/byte_budget.h"

#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace parity::engine {
namespace {

class ByteBudgetTest : public ::testing::Test {
 protected:
  std::shared_ptr<ByteBudget::Holder> NewHolder() {
    return std::make_shared<ByteBudget::Holder>(budget_);
  }
  std::shared_ptr<ByteBudget> budget_ = std::make_shared<ByteBudget>(1000);
};

TEST_F(ByteBudgetTest, AHolderMayHaveAsMuchAsIsStillFree) {
  const auto one = NewHolder();
  const auto first = one->Take(400);
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(one->Take(101).has_value());
  const auto second = one->Take(100);
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(one->held_bytes(), 500u);
  EXPECT_EQ(budget_->held_bytes(), 500u);

  const auto other = NewHolder();
  EXPECT_FALSE(other->Take(251).has_value());
  EXPECT_TRUE(other->Take(250).has_value());
}

TEST_F(ByteBudgetTest, ALoneRequestMayHaveAllOfIt) {
  const auto holder = NewHolder();
  EXPECT_FALSE(holder->Take(1001).has_value());
  const auto all = holder->Take(1000);
  ASSERT_TRUE(all.has_value());
  EXPECT_FALSE(holder->Take(1).has_value());
  EXPECT_FALSE(NewHolder()->Take(1).has_value());
}

TEST_F(ByteBudgetTest, ALeaseGivesBackWhatItHasLeft) {
  const auto holder = NewHolder();
  {
    auto lease = *holder->Take(500);
    lease.Reduce(200);
    EXPECT_EQ(budget_->held_bytes(), 200u);
    lease.Reduce(300);  // no more than it has
    EXPECT_EQ(budget_->held_bytes(), 200u);
    const ByteBudget::Lease moved = std::move(lease);
    EXPECT_EQ(budget_->held_bytes(), 200u);
  }
  EXPECT_EQ(budget_->held_bytes(), 0u);
  EXPECT_EQ(holder->held_bytes(), 0u);
}

TEST_F(ByteBudgetTest, ALeaseCanBeSplit) {
  const auto holder = NewHolder();
  auto lease = *holder->Take(500);
  {
    const ByteBudget::Lease part = lease.Split(300);
    EXPECT_EQ(part.bytes(), 300u);
    EXPECT_EQ(lease.bytes(), 200u);
    EXPECT_EQ(budget_->held_bytes(), 500u);
  }
  EXPECT_EQ(budget_->held_bytes(), 200u);
  EXPECT_EQ(lease.Split(201).bytes(), 200u);
  EXPECT_EQ(budget_->held_bytes(), 0u);
}

TEST_F(ByteBudgetTest, ALeaseOutlivesItsHolderAndTheBudget) {
  auto lease = *NewHolder()->Take(10);
  EXPECT_EQ(budget_->held_bytes(), 10u);
  budget_ = nullptr;
}

TEST_F(ByteBudgetTest, ManyThreadsNeverTakeMoreThanThereIs) {
  std::vector<std::thread> threads;
  std::atomic<bool> exceeded{false};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const auto holder = NewHolder();
      for (int i = 0; i < 20'000; ++i) {
        const auto lease = holder->Take(1 + i % 300);
        if (budget_->held_bytes() > budget_->limit_bytes()) exceeded = true;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(exceeded);
  EXPECT_EQ(budget_->held_bytes(), 0u);
}

}  // namespace
}  // namespace parity::engine
