#include "chooser.h"

#include <array>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace parity::client {
namespace {

TEST(Chooser, TakesTheLeastLoaded) {
  const std::vector<Candidate> candidates = {{30, true}, {10, true}, {20, true}};
  for (size_t turn = 0; turn < 6; ++turn) EXPECT_EQ(ChooseServer(candidates, turn), 1);
}

TEST(Chooser, LeavesOutWhatIsTriedOrNotUsable) {
  const std::vector<Candidate> candidates = {
      {0, false, false}, {1, true, true}, {0, false, true}, {UINT64_MAX, true, false}};
  for (size_t turn = 0; turn < 6; ++turn) EXPECT_EQ(ChooseServer(candidates, turn), 3);
}

TEST(Chooser, FindsNoneWhereThereIsNone) {
  EXPECT_EQ(ChooseServer({}, 0), -1);
  EXPECT_EQ(ChooseServer(std::vector<Candidate>{{0, false, false}, {0, true, true}}, 7), -1);
}

TEST(Chooser, GivesEquallyLoadedServersTheSameShare) {
  // What lies between them must not favour its neighbour.
  const std::vector<Candidate> candidates = {
      {5, true}, {0, false}, {5, true}, {9, true}, {5, true}};
  std::array<int, 5> chosen{};
  for (size_t turn = 0; turn < 300; ++turn) {
    const int one = ChooseServer(candidates, turn);
    ASSERT_GE(one, 0);
    ++chosen[static_cast<size_t>(one)];
  }
  EXPECT_EQ(chosen, (std::array<int, 5>{100, 0, 100, 0, 100}));
}

TEST(Chooser, NeverPassesOverOneThatIsLessLoaded) {
  std::mt19937 random(1);
  for (int round = 0; round < 10'000; ++round) {
    std::vector<Candidate> candidates(random() % 9);
    for (Candidate& one : candidates) one = {random() % 3, random() % 4 != 0, random() % 4 == 0};
    const int chosen = ChooseServer(candidates, random());
    ASSERT_LT(chosen, static_cast<int>(candidates.size()));
    for (const Candidate& one : candidates) {
      if (!one.usable || one.tried) continue;
      ASSERT_GE(chosen, 0);
      ASSERT_LE(candidates[static_cast<size_t>(chosen)].bytes_in_flight, one.bytes_in_flight);
    }
    if (chosen < 0) continue;
    ASSERT_TRUE(candidates[static_cast<size_t>(chosen)].usable);
    ASSERT_FALSE(candidates[static_cast<size_t>(chosen)].tried);
  }
}

}  // namespace
}  // namespace parity::client
