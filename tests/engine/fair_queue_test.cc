#include "parity/engine/fair_queue.h"

#include <string>

#include "gtest/gtest.h"

namespace parity::engine {
namespace {

constexpr uint64_t kSmall = 4096;
constexpr uint64_t kLarge = 1 << 20;

class FairQueueTest : public ::testing::Test {
 protected:
  using Queue = FairQueue<char>;

  std::string PopAll() {
    std::string order;
    while (!queue_.empty()) order.push_back(queue_.Pop());
    return order;
  }

  Queue queue_;
  Queue::Line a_;
  Queue::Line b_;
};

TEST_F(FairQueueTest, RequestsOfOneClientKeepTheirOrder) {
  for (char item = 'a'; item <= 'e'; ++item) queue_.Push(a_, item, kSmall);
  EXPECT_EQ(PopAll(), "abcde");
  EXPECT_TRUE(queue_.empty());
}

TEST_F(FairQueueTest, ClientsTakeTurns) {
  for (int i = 0; i < 4; ++i) queue_.Push(a_, 'a', kLarge);
  for (int i = 0; i < 2; ++i) queue_.Push(b_, 'b', kLarge);
  EXPECT_EQ(PopAll(), "ababaa");
}

TEST_F(FairQueueTest, ATurnIsOfBytesNotOfRequests) {
  const uint64_t half = Queue::kTurnBytes / 2;
  for (int i = 0; i < 4; ++i) queue_.Push(a_, 'a', half);
  queue_.Push(b_, 'b', kLarge);
  queue_.Push(b_, 'b', kLarge);
  EXPECT_EQ(PopAll(), "aabaab");
}

TEST_F(FairQueueTest, SmallRequestsOfAClientGoBeforeItsLargeOnes) {
  queue_.Push(a_, 'L', kLarge);
  queue_.Push(a_, 'M', kLarge);
  queue_.Push(a_, 's', kSmall);
  EXPECT_EQ(PopAll(), "sLM");
}

TEST_F(FairQueueTest, SmallRequestsDoNotStarveLargeOnes) {
  queue_.Push(a_, 'L', kLarge);
  const size_t a_turn = Queue::kTurnBytes / kSmall;
  for (size_t i = 0; i < 3 * a_turn; ++i) queue_.Push(a_, 's', kSmall);
  EXPECT_EQ(PopAll().find('L'), a_turn);
}

TEST_F(FairQueueTest, WhatIsNotDoneIsNextOfItsLineAndLetsOthersGoFirst) {
  queue_.Push(a_, '1', kLarge);
  queue_.Push(a_, '2', kLarge);
  queue_.Push(b_, 'b', kLarge);
  const char first = queue_.Pop();
  queue_.PushBack(a_, first, kLarge);
  EXPECT_EQ(first, '1');
  EXPECT_EQ(PopAll(), "b12");
}

TEST_F(FairQueueTest, ALateClientWaitsForOneTurnOnly) {
  for (int i = 0; i < 100; ++i) queue_.Push(a_, 'a', kLarge);
  queue_.Pop();
  queue_.Push(b_, 'b', kSmall);
  queue_.Pop();
  EXPECT_EQ(queue_.Pop(), 'b');
}

}  // namespace
}  // namespace parity::engine
