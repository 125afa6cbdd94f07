#include "backoff.h"

#include <climits>

#include "gtest/gtest.h"

namespace parity::client {
namespace {

TEST(Backoff, DoublesWithEachRetry) {
  EXPECT_EQ(BackoffOf(0, absl::Milliseconds(10), absl::Seconds(5), 1), absl::Milliseconds(10));
  EXPECT_EQ(BackoffOf(1, absl::Milliseconds(10), absl::Seconds(5), 1), absl::Milliseconds(20));
  EXPECT_EQ(BackoffOf(5, absl::Milliseconds(10), absl::Seconds(5), 1), absl::Milliseconds(320));
}

TEST(Backoff, LeavesHalfToChance) {
  EXPECT_EQ(BackoffOf(2, absl::Milliseconds(10), absl::Seconds(5), 0), absl::Milliseconds(20));
  EXPECT_EQ(BackoffOf(2, absl::Milliseconds(10), absl::Seconds(5), 0.5), absl::Milliseconds(30));
  EXPECT_EQ(BackoffOf(2, absl::Milliseconds(10), absl::Seconds(5), 1), absl::Milliseconds(40));
}

TEST(Backoff, StopsAtTheLongest) {
  EXPECT_EQ(BackoffOf(9, absl::Milliseconds(10), absl::Seconds(5), 1), absl::Seconds(5));
  EXPECT_EQ(BackoffOf(9, absl::Milliseconds(10), absl::Seconds(5), 0), absl::Milliseconds(2'500));
  EXPECT_EQ(BackoffOf(0, absl::Seconds(9), absl::Seconds(5), 1), absl::Seconds(5));
}

TEST(Backoff, DoesNotOverflow) {
  for (const int retry : {31, 32, 62, 63, 64, 1'023, 1'024, INT_MAX}) {
    EXPECT_EQ(BackoffOf(retry, absl::Hours(1), absl::Hours(2), 1), absl::Hours(2)) << retry;
    EXPECT_EQ(BackoffOf(retry, absl::ZeroDuration(), absl::Hours(2), 1), absl::ZeroDuration())
        << retry;
  }
  EXPECT_EQ(BackoffOf(INT_MAX, absl::Nanoseconds(1), absl::InfiniteDuration(), 0),
            absl::InfiniteDuration());
}

}  // namespace
}  // namespace parity::client
