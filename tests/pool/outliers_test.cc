#include "outliers.h"

#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace parity::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Clock = ServerHealth::Clock;

const Clock::time_point kNow{std::chrono::hours(1)};

// A server of whose 100 calls so many have failed, no five in a row if some have not.
ServerHealth Failing(int percent) {
  ServerHealth server([] { return 0.5; });
  for (int i = 0; i < 100; ++i) {
    (i + 1) * percent / 100 > i* percent / 100 ? server.OnFailure(kNow) : server.OnSuccess(kNow);
  }
  return server;
}

std::vector<size_t> Ejected(const std::vector<ServerHealth>& servers) {
  std::vector<const ServerHealth*> pointers;
  for (const ServerHealth& server : servers) pointers.push_back(&server);
  return OutliersToEject(pointers, kNow);
}

TEST(Outliers, AreThoseThatFailOftenerThanNot) {
  EXPECT_THAT(Ejected({Failing(50), Failing(60), Failing(0), Failing(10)}), ElementsAre(1));
  EXPECT_THAT(Ejected({Failing(0), Failing(10), Failing(50)}), IsEmpty());
}

TEST(Outliers, AreAtMostHalfOfTheServersAndTheWorst) {
  EXPECT_THAT(Ejected({Failing(60), Failing(75), Failing(70), Failing(65)}), ElementsAre(1, 2));
  EXPECT_THAT(Ejected({Failing(60), Failing(75), Failing(70)}), ElementsAre(1));
  EXPECT_THAT(Ejected({Failing(60), Failing(60)}), ElementsAre(0));
}

TEST(Outliers, AreNoneIfThereIsOneServer) {
  EXPECT_THAT(Ejected({Failing(75)}), IsEmpty());
  EXPECT_THAT(Ejected({}), IsEmpty());
}

TEST(Outliers, LeaveRoomForServersThatAreOutAlready) {
  const ServerHealth open = Failing(100);
  ASSERT_EQ(open.State(kNow), HealthState::kEjected);
  EXPECT_THAT(Ejected({open, Failing(75), Failing(70), Failing(0)}), ElementsAre(1));
  EXPECT_THAT(Ejected({open, open, Failing(75), Failing(0)}), IsEmpty());
  EXPECT_THAT(Ejected({open, open, open, Failing(75)}), IsEmpty());
}

TEST(Outliers, NeverLeaveFewerThanHalfOfThoseThatAreUsable) {
  std::mt19937 random(1);
  const std::vector<ServerHealth> kinds = {Failing(0),  Failing(40), Failing(60),
                                           Failing(70), Failing(75), Failing(100)};
  for (int round = 0; round < 2'000; ++round) {
    std::vector<const ServerHealth*> servers(random() % 8);
    size_t usable = 0;
    for (const ServerHealth*& server : servers) {
      server = &kinds[random() % kinds.size()];
      if (server->State(kNow) == HealthState::kUsable) ++usable;
    }
    const std::vector<size_t> ejected = OutliersToEject(servers, kNow);
    for (const size_t one : ejected) {
      ASSERT_TRUE(servers[one]->IsOutlier(kNow));
      ASSERT_EQ(servers[one]->State(kNow), HealthState::kUsable);
    }
    if (!ejected.empty()) {
      ASSERT_GE(usable - ejected.size(), servers.size() - servers.size() / 2);
    }
  }
}

}  // namespace
}  // namespace parity::client
