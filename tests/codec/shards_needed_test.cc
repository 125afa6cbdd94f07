#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stripe.h"

namespace parity::codec {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<uint32_t> Needed(const Geometry& geometry, const std::vector<uint32_t>& available,
                             const std::vector<uint32_t>& wanted) {
  const auto needed = Codec(geometry).ShardsNeeded(available, wanted);
  EXPECT_TRUE(needed.ok()) << needed.status();
  return needed.value_or(std::vector<uint32_t>());
}

TEST(ShardsNeeded, AreTheLowestKWhereAnyKSuffice) {
  const Geometry geometry = Geometry::Make(Code::kReedSolomon, 4, 3).value();
  EXPECT_THAT(Needed(geometry, {6, 5, 4, 3, 1, 0}, {2}), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(Needed(geometry, {6, 5, 4, 1}, {0, 2}), ElementsAre(1, 4, 5, 6));
  EXPECT_THAT(Needed(geometry, {0, 1, 2, 3, 4, 5}, {6}), ElementsAre(0, 1, 2, 3));
}

TEST(ShardsNeeded, AreTheRestOfALocalGroup) {
  EXPECT_THAT(Needed(LocalGroups(), {0, 2, 3, 4, 5, 6, 7, 8, 9}, {1}), ElementsAre(0, 2, 6));
  EXPECT_THAT(Needed(LocalGroups(), {0, 2, 3, 5, 6, 7, 8, 9}, {4}), ElementsAre(3, 5, 7));
  EXPECT_THAT(Needed(LocalGroups(), {0, 2, 3, 5, 6, 7, 8, 9}, {4, 1}),
              ElementsAre(0, 2, 3, 5, 6, 7));
  EXPECT_THAT(Needed(LocalGroups(), {0, 1, 2, 3, 4, 5, 7, 8, 9}, {6}), ElementsAre(0, 1, 2));
  // The group's parity is gone too, or another shard of the group.
  EXPECT_THAT(Needed(LocalGroups(), {0, 2, 3, 4, 5, 7, 8, 9}, {1}), ElementsAre(0, 2, 3, 4, 5, 8));
  EXPECT_THAT(Needed(LocalGroups(), {2, 3, 4, 5, 6, 7, 8, 9}, {1}), ElementsAre(2, 3, 4, 5, 6, 8));
}

// Parity of few data shards may have any index.
TEST(ShardsNeeded, PrefersParityOfFewDataShards) {
  const Geometry geometry = Geometry::MakeCustom(3, 2, {1, 1, 1, 1, 2, 0}).value();
  EXPECT_THAT(Needed(geometry, {0, 2, 3, 4}, {1}), ElementsAre(0, 4));
  EXPECT_THAT(Needed(geometry, {0, 1, 3, 4}, {2}), ElementsAre(0, 1, 3));
}

TEST(ShardsNeeded, AreNoneForNothing) {
  const Geometry geometry = Geometry::Make(Code::kReedSolomon, 4, 3).value();
  EXPECT_THAT(Needed(geometry, {0, 1}, {}), IsEmpty());
}

// For every pattern of losses: enough, in order, available, and k where any k suffice, of which
// none can be left out.
TEST(ShardsNeeded, SufficeAndAreAvailable) {
  std::mt19937 random(1);
  std::vector<Geometry> geometries = GeometriesUpTo(8);
  geometries.push_back(LocalGroups());
  geometries.push_back(Lopsided());
  for (const Geometry& geometry : geometries) {
    const Codec codec(geometry);
    const Rows rows = DefinedRows(geometry);
    for (uint32_t pattern = 1; pattern < 1u << geometry.total_shards(); ++pattern) {
      SCOPED_TRACE(NameOf(geometry) + ", lost " + std::to_string(pattern));
      auto [wanted, available] = Split(geometry.total_shards(), pattern);
      std::shuffle(wanted.begin(), wanted.end(), random);
      std::shuffle(available.begin(), available.end(), random);
      wanted.resize(1 + random() % wanted.size());
      const auto needed = codec.ShardsNeeded(available, wanted);
      const auto is_determined = [&rows](const std::vector<uint32_t>& present) {
        return [&rows, present](uint32_t shard) { return Determine(rows, present, shard); };
      };
      ASSERT_EQ(needed.ok(), std::all_of(wanted.begin(), wanted.end(), is_determined(available)))
          << needed.status();
      if (!needed.ok()) continue;
      ASSERT_TRUE(std::is_sorted(needed->begin(), needed->end()));
      for (const uint32_t shard : *needed) {
        ASSERT_EQ(std::count(available.begin(), available.end(), shard), 1);
      }
      ASSERT_TRUE(std::all_of(wanted.begin(), wanted.end(), is_determined(*needed)));
      const auto again = codec.ShardsNeeded(*needed, wanted);
      ASSERT_TRUE(again.ok()) << again.status();
      ASSERT_EQ(*again, *needed);
      if (geometry.any_k_suffice()) {
        ASSERT_EQ(needed->size(), geometry.data_shards());
      }
      for (size_t left_out = 0; left_out < needed->size(); ++left_out) {
        std::vector<uint32_t> fewer = *needed;
        fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(left_out));
        ASSERT_FALSE(std::all_of(wanted.begin(), wanted.end(), is_determined(fewer)));
      }
    }
  }
}

Fault FaultOfNeeded(const Geometry& geometry, const std::vector<uint32_t>& available,
                    const std::vector<uint32_t>& wanted) {
  return FaultOf(Codec(geometry).ShardsNeeded(available, wanted).status());
}

TEST(ShardsNeeded, SaysThatTooFewAreAvailable) {
  const Geometry geometry = Geometry::Make(Code::kReedSolomon, 3, 2).value();
  EXPECT_EQ(FaultOfNeeded(geometry, {0, 3}, {1}),
            Undetermined("available",
                         "got 2 of 5 shards, 3 missing, want at least 3, at most 2 missing"));
}

TEST(ShardsNeeded, SaysWhichAreNotDetermined) {
  EXPECT_EQ(FaultOfNeeded(LocalGroups(), {3, 4, 7, 9}, {5, 2, 0}),
            Undetermined("available",
                         "got 4 of 10 shards, which do not determine 0, 2, want shards that do"));
}

TEST(ShardsNeeded, RefusesBadIndices) {
  const Geometry geometry = Geometry::Make(Code::kReedSolomon, 3, 2).value();
  EXPECT_EQ(FaultOfNeeded(geometry, {0, 5}, {1}),
            Invalid("available[1]", "got 5, want less than 5"));
  EXPECT_EQ(FaultOfNeeded(geometry, {0, 2, 0}, {1}),
            Invalid("available[2]", "got 0 again, want every shard at most once"));
  EXPECT_EQ(FaultOfNeeded(geometry, {0, 2, 3}, {9}),
            Invalid("wanted[0]", "got 9, want less than 5"));
  EXPECT_EQ(FaultOfNeeded(geometry, {0, 2, 3}, {1, 2}),
            Invalid("wanted[1]", "got 2, want a shard that is not present"));
}

}  // namespace
}  // namespace parity::codec
