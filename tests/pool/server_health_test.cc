#include "server_health.h"

#include <random>

#include "gtest/gtest.h"

namespace parity::client {
namespace {

using Clock = ServerHealth::Clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

const Clock::time_point kStart{std::chrono::hours(1)};

double Middle() { return 0.5; }

// Fails so often in a row.
void Fail(ServerHealth& server, int times, Clock::time_point now) {
  for (int i = 0; i < times; ++i) server.OnFailure(now);
}

// A trial at the first moment that allows one, which fails at once. How long it is open then.
Clock::duration FailTrial(ServerHealth& server) {
  const Clock::time_point now = server.usable_from();
  EXPECT_TRUE(server.TryStartTrial(now));
  server.OnFailure(now);
  return server.usable_from() - now;
}

TEST(ServerHealth, FiveFailuresInARowOpenTheBreaker) {
  ServerHealth server(Middle);
  EXPECT_EQ(server.usable_from(), Clock::time_point::min());
  Fail(server, 4, kStart);
  EXPECT_EQ(server.State(kStart), HealthState::kUsable);
  server.OnSuccess(kStart);
  Fail(server, 4, kStart);
  EXPECT_EQ(server.State(kStart), HealthState::kUsable);
  server.OnFailure(kStart);
  EXPECT_EQ(server.State(kStart), HealthState::kEjected);
  EXPECT_EQ(server.usable_from(), kStart + milliseconds(100));
  EXPECT_EQ(server.State(kStart + milliseconds(99)), HealthState::kEjected);
  EXPECT_EQ(server.State(kStart + milliseconds(100)), HealthState::kTrial);
}

TEST(ServerHealth, OneCallerMayTry) {
  ServerHealth server(Middle);
  EXPECT_FALSE(server.TryStartTrial(kStart));
  Fail(server, 5, kStart);
  EXPECT_FALSE(server.TryStartTrial(kStart));
  const Clock::time_point later = server.usable_from();
  EXPECT_TRUE(server.TryStartTrial(later));
  EXPECT_EQ(server.State(later), HealthState::kEjected);
  EXPECT_FALSE(server.TryStartTrial(later));
}

TEST(ServerHealth, EachTrialThatFailsDoublesTheTimeUpToTenSeconds) {
  ServerHealth server(Middle);
  Fail(server, 5, kStart);
  for (const int expected : {200, 400, 800, 1'600, 3'200, 6'400, 10'000, 10'000}) {
    EXPECT_EQ(FailTrial(server), milliseconds(expected));
  }
}

TEST(ServerHealth, ChanceMakesItAQuarterMoreOrLess) {
  ServerHealth early([] { return 0.0; });
  Fail(early, 5, kStart);
  EXPECT_EQ(early.usable_from(), kStart + milliseconds(75));
  EXPECT_EQ(FailTrial(early), milliseconds(150));
  ServerHealth late([] { return 1.0; });
  Fail(late, 5, kStart);
  EXPECT_EQ(late.usable_from(), kStart + milliseconds(125));
  for (int i = 0; i < 6; ++i) FailTrial(late);
  EXPECT_EQ(FailTrial(late), milliseconds(12'500));
}

TEST(ServerHealth, ASuccessClosesAndResets) {
  ServerHealth server(Middle);
  Fail(server, 5, kStart);
  for (int i = 0; i < 5; ++i) FailTrial(server);
  const Clock::time_point now = server.usable_from();
  ASSERT_TRUE(server.TryStartTrial(now));
  server.OnSuccess(now);
  EXPECT_EQ(server.State(now), HealthState::kUsable);
  Fail(server, 4, now);
  EXPECT_EQ(server.State(now), HealthState::kUsable);
  server.OnFailure(now);
  EXPECT_EQ(server.usable_from(), now + milliseconds(100));
}

TEST(ServerHealth, FailuresOfCallsFromBeforeDoNotProlongIt) {
  ServerHealth server(Middle);
  Fail(server, 5, kStart);
  const Clock::time_point until = server.usable_from();
  Fail(server, 100, kStart + milliseconds(50));
  EXPECT_EQ(server.usable_from(), until);
  Fail(server, 100, until + milliseconds(50));
  EXPECT_EQ(server.State(until + milliseconds(50)), HealthState::kTrial);
  EXPECT_EQ(FailTrial(server), milliseconds(200));
}

TEST(ServerHealth, ATrialThatIsGivenUpOrNeverReportedMakesRoomForAnother) {
  ServerHealth server(Middle);
  Fail(server, 5, kStart);
  const Clock::time_point now = server.usable_from();
  ASSERT_TRUE(server.TryStartTrial(now));
  server.EndTrial();
  EXPECT_TRUE(server.TryStartTrial(now));
  EXPECT_FALSE(server.TryStartTrial(now + milliseconds(9'999)));
  EXPECT_EQ(server.usable_from(), now + seconds(10));
  EXPECT_TRUE(server.TryStartTrial(now + seconds(10)));
}

TEST(ServerHealth, AServerThatAsksForAPauseIsLeftAloneUntilThen) {
  ServerHealth server(Middle);
  server.OnPushback(kStart + seconds(3));
  server.OnPushback(kStart + seconds(2));
  EXPECT_EQ(server.usable_from(), kStart + seconds(3));
  server.OnSuccess(kStart + seconds(1));
  EXPECT_EQ(server.State(kStart + milliseconds(2'999)), HealthState::kEjected);
  EXPECT_EQ(server.State(kStart + seconds(3)), HealthState::kUsable);
}

TEST(ServerHealth, APauseInAnswerToATrialEndsIt) {
  ServerHealth server(Middle);
  Fail(server, 5, kStart);
  const Clock::time_point now = server.usable_from();
  ASSERT_TRUE(server.TryStartTrial(now));
  server.OnPushback(now + milliseconds(30));
  EXPECT_EQ(server.State(now + milliseconds(29)), HealthState::kEjected);
  EXPECT_EQ(server.State(now + milliseconds(30)), HealthState::kTrial);
}

TEST(ServerHealth, AnOutlierFailsMoreThanHalfOfAtLeastTwentyCalls) {
  ServerHealth server(Middle);
  for (int i = 0; i < 9; ++i) server.OnSuccess(kStart);
  Fail(server, 10, kStart);
  EXPECT_FALSE(server.IsOutlier(kStart));
  EXPECT_EQ(server.FailureRate(kStart), 0);
  server.OnSuccess(kStart);
  EXPECT_FALSE(server.IsOutlier(kStart));
  EXPECT_EQ(server.FailureRate(kStart), 0.5);
  server.OnFailure(kStart);
  EXPECT_TRUE(server.IsOutlier(kStart));
}

TEST(ServerHealth, CallsCountForTenSeconds) {
  ServerHealth server(Middle);
  Fail(server, 30, kStart);
  EXPECT_TRUE(server.IsOutlier(kStart + milliseconds(9'999)));
  EXPECT_FALSE(server.IsOutlier(kStart + seconds(10)));
  for (int i = 0; i < 30; ++i) server.OnSuccess(kStart + seconds(9));
  EXPECT_EQ(server.FailureRate(kStart + seconds(9)), 0.5);
  EXPECT_EQ(server.FailureRate(kStart + seconds(10)), 0);
  Fail(server, 10, kStart + seconds(10));  // in the place of the first
  EXPECT_EQ(server.FailureRate(kStart + seconds(10)), 0.25);
  server.OnFailure(kStart);  // late, and too old
  EXPECT_EQ(server.FailureRate(kStart + seconds(10)), 0.25);
}

// Whatever is reported and whatever is not, every state ends within its bound.
TEST(ServerHealth, IsNeverWedged) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> random01(0, 1);
    ServerHealth server([&] { return random01(random); });
    Clock::time_point now = kStart;
    Clock::time_point pushback = kStart;
    for (int step = 0; step < 500; ++step) {
      now += milliseconds(random() % 8 == 0 ? random() % 20'000 : random() % 50);
      const bool may_try = server.State(now) == HealthState::kTrial;
      switch (random() % 8) {
        case 0:
          if (random() % 4 == 0) server.OnSuccess(now);
          break;
        case 1:
          pushback = std::max(pushback, now + milliseconds(random() % 1'000));
          server.OnPushback(pushback);
          break;
        case 2:
        case 3:
          ASSERT_EQ(server.TryStartTrial(now), may_try);
          ASSERT_FALSE(server.TryStartTrial(now));
          break;
        case 4:
          server.EndTrial();
          break;
        default:
          server.OnFailure(now);
      }
      // An open breaker ends in 12.5 s, an unreported trial in 10 s.
      const Clock::time_point bound = now + milliseconds(12'500);
      ASSERT_LE(server.usable_from(), std::max(bound, pushback));
      ASSERT_NE(server.State(std::max(bound, pushback)), HealthState::kEjected);
      if (random() % 8 != 0) continue;
      // As it would go on from here: one trial brings it back.
      ServerHealth copy = server;
      Fail(copy, 5, now);
      const Clock::time_point later = std::max(copy.usable_from(), now);
      ASSERT_LE(later, std::max(bound, pushback));
      ASSERT_TRUE(copy.TryStartTrial(later));
      copy.OnSuccess(later);
      ASSERT_EQ(copy.State(later), HealthState::kUsable);
    }
  }
}

}  // namespace
}  // namespace parity::client
