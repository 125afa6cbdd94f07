#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "noting_table.h"
#include "stripe.h"

namespace parity::codec {
namespace {

// The shards in `wanted`, from those in `present` of a whole stripe.
std::vector<Bytes> Reconstruct(const Geometry& geometry, const std::vector<Bytes>& stripe,
                               const std::vector<uint32_t>& present,
                               const std::vector<uint32_t>& wanted, size_t shard_bytes) {
  std::vector<Bytes> sources;
  for (const uint32_t shard : present) sources.push_back(stripe[shard]);
  std::vector<Bytes> out(wanted.size(), Bytes(shard_bytes));
  Batch batch(BestTable());
  const absl::Status status = Codec(geometry).Reconstruct(
      present, ShardList(sources).shards(), shard_bytes, wanted, Pointers(out), batch);
  EXPECT_TRUE(status.ok()) << status;
  batch.Run();
  return out;
}

// Custom matrices and every named one that are small enough to try everything.
std::vector<Geometry> SmallGeometries(uint32_t most) {
  std::vector<Geometry> geometries = GeometriesUpTo(most);
  geometries.push_back(LocalGroups());
  geometries.push_back(Lopsided());
  return geometries;
}

// Wants every shard that is lost, one by one, and expects it if those that are left determine it,
// an error else; then all of them together.
void ExpectWhatIsDetermined(const Codec& codec, const std::vector<Bytes>& stripe, const Rows& rows,
                            const std::vector<uint32_t>& present,
                            const std::vector<uint32_t>& lost) {
  const size_t shard_bytes = stripe[0].size();
  std::vector<Bytes> sources;
  for (const uint32_t shard : present) sources.push_back(stripe[shard]);
  const ShardList list(sources);
  Batch batch(BestTable());
  bool all_determined = true;
  for (const uint32_t shard : lost) {
    const bool is_determined = Determine(rows, present, shard);
    all_determined &= is_determined;
    Bytes out(shard_bytes, 0x5a);
    const absl::Status status =
        codec.Reconstruct(present, list.shards(), shard_bytes, {shard}, {out.data()}, batch);
    batch.Run();
    ASSERT_EQ(status.ok(), is_determined) << status;
    ASSERT_EQ(out, is_determined ? stripe[shard] : Bytes(shard_bytes, 0x5a)) << shard;
    if (!is_determined) {
      ASSERT_EQ(FaultOf(status).code, absl::StatusCode::kFailedPrecondition);
      ASSERT_EQ(FaultOf(status).field, "present");
    }
  }
  std::vector<Bytes> out(lost.size(), Bytes(shard_bytes));
  const absl::Status status =
      codec.Reconstruct(present, list.shards(), shard_bytes, lost, Pointers(out), batch);
  batch.Run();
  ASSERT_EQ(status.ok(), all_determined) << status;
  for (size_t i = 0; all_determined && i < lost.size(); ++i) ASSERT_EQ(out[i], stripe[lost[i]]);
}

TEST(Reconstruct, RestoresWhatEveryPatternOfLossesLeavesDetermined) {
  std::mt19937 random(1);
  for (const Geometry& geometry : SmallGeometries(10)) {
    const Codec codec(geometry);
    const Rows rows = DefinedRows(geometry);
    const std::vector<Bytes> stripe = RandomStripe(geometry, 5, random);
    for (uint32_t pattern = 0; pattern < 1u << geometry.total_shards(); ++pattern) {
      SCOPED_TRACE(NameOf(geometry) + ", lost " + std::to_string(pattern));
      auto [lost, present] = Split(geometry.total_shards(), pattern);
      std::shuffle(present.begin(), present.end(), random);
      std::shuffle(lost.begin(), lost.end(), random);
      ExpectWhatIsDetermined(codec, stripe, rows, present, lost);
      if (HasFatalFailure()) return;
    }
  }
}

// ISA-L's matrix of 9+5 has square submatrices that cannot be inverted.
TEST(Reconstruct, RefusesASingularPatternOfVandermonde) {
  const Geometry geometry = Geometry::Make(Code::kReedSolomon, 9, 5, Matrix::kVandermonde).value();
  const Rows rows = DefinedRows(geometry);
  size_t singular = 0;
  for (uint32_t pattern = 0; pattern < 1u << 14; ++pattern) {
    const auto [lost, present] = Split(14, pattern);
    if (lost.size() != 5) continue;
    Rows left;
    for (const uint32_t shard : present) left.push_back(rows[shard]);
    if (Rank(left) == 9) continue;
    ++singular;
    std::vector<uint32_t> undetermined;
    for (const uint32_t shard : lost) {
      if (!Determine(rows, present, shard)) undetermined.push_back(shard);
    }
    const std::vector<Shard> shards(present.size());
    std::vector<Bytes> out(5, Bytes(10));
    Batch batch(BestTable());
    EXPECT_EQ(
        FaultOf(Codec(geometry).Reconstruct(present, shards, 10, lost, Pointers(out), batch)),
        Undetermined("present", "got 9 of 14 shards, which do not determine " +
                                    absl::StrJoin(undetermined, ", ") + ", want shards that do"));
  }
  EXPECT_GT(singular, 0u);
}

// The first k shards that are left, 2 and 3, are the same.
TEST(Reconstruct, ChoosesAmongAllShardsThatArePresent) {
  const Geometry geometry = Geometry::MakeCustom(2, 3, {1, 1, 1, 1, 1, 2}).value();
  std::mt19937 random(12);
  const std::vector<Bytes> stripe = RandomStripe(geometry, 100, random);
  const std::vector<Bytes> restored = Reconstruct(geometry, stripe, {2, 3, 4}, {1, 0}, 100);
  EXPECT_EQ(restored[0], stripe[1]);
  EXPECT_EQ(restored[1], stripe[0]);
}

TEST(Reconstruct, RepairsWithinALocalGroupFromFewerThanKShards) {
  std::mt19937 random(13);
  const std::vector<Bytes> stripe = RandomStripe(LocalGroups(), 100, random);
  EXPECT_EQ(Reconstruct(LocalGroups(), stripe, {6, 0, 2}, {1}, 100)[0], stripe[1]);
  EXPECT_EQ(Reconstruct(LocalGroups(), stripe, {3, 4, 5}, {7}, 100)[0], stripe[7]);
}

// Those that are not are never read: there is nothing to read them from.
TEST(Reconstruct, ReadsTheShardsNeededAlone) {
  std::mt19937 random(14);
  for (const Geometry& geometry : SmallGeometries(7)) {
    const Codec codec(geometry);
    const std::vector<Bytes> stripe = RandomStripe(geometry, 50, random);
    for (uint32_t pattern = 1; pattern < 1u << geometry.total_shards(); ++pattern) {
      auto [lost, present] = Split(geometry.total_shards(), pattern);
      std::shuffle(present.begin(), present.end(), random);
      std::shuffle(lost.begin(), lost.end(), random);
      lost.resize(1 + random() % lost.size());
      const auto needed = codec.ShardsNeeded(present, lost);
      if (!needed.ok()) continue;
      std::vector<Segment> segments;
      for (const uint32_t shard : present) {
        const bool is_needed = std::count(needed->begin(), needed->end(), shard) == 1;
        segments.push_back({is_needed ? stripe[shard].data() : nullptr, 50});
      }
      std::vector<Shard> shards;
      for (const Segment& segment : segments) shards.emplace_back(&segment, 1);
      std::vector<Bytes> out(lost.size(), Bytes(50));
      Batch batch(BestTable());
      ASSERT_TRUE(codec.Reconstruct(present, shards, 50, lost, Pointers(out), batch).ok());
      batch.Run();
      for (size_t i = 0; i < lost.size(); ++i) ASSERT_EQ(out[i], stripe[lost[i]]);
    }
  }
}

TEST(Reconstruct, RestoresOnlyWhatIsWanted) {
  constexpr size_t kShardBytes = 50;
  std::mt19937 random(2);
  for (const Geometry& geometry : GeometriesUpTo(8)) {
    const std::vector<Bytes> stripe = RandomStripe(geometry, kShardBytes, random);
    for (uint32_t pattern = 1; pattern < 1u << geometry.total_shards(); ++pattern) {
      auto [lost, present] = Split(geometry.total_shards(), pattern);
      if (lost.size() > geometry.parity_shards()) continue;
      std::shuffle(lost.begin(), lost.end(), random);
      lost.resize(1 + random() % lost.size());
      const std::vector<Bytes> restored = Reconstruct(geometry, stripe, present, lost, kShardBytes);
      for (size_t i = 0; i < lost.size(); ++i) ASSERT_EQ(restored[i], stripe[lost[i]]);
    }
  }
}

TEST(Reconstruct, RestoresLargeStripes) {
  std::mt19937 random(3);
  for (const auto& [k, m] : {std::pair<uint32_t, uint32_t>{200, 55},
                             {17, 3},
                             {2, 253},
                             {128, 128},
                             {1, 255},
                             {255, 1}}) {
    for (const Matrix matrix : {Matrix::kCauchy, Matrix::kSystematicVandermonde}) {
      const Geometry geometry = Geometry::Make(Code::kReedSolomon, k, m, matrix).value();
      const std::vector<Bytes> stripe = RandomStripe(geometry, 40, random);
      std::vector<uint32_t> present(k + m);
      for (uint32_t i = 0; i < k + m; ++i) present[i] = i;
      std::shuffle(present.begin(), present.end(), random);
      const std::vector<uint32_t> lost(present.begin() + k, present.end());
      present.resize(k);
      const std::vector<Bytes> restored = Reconstruct(geometry, stripe, present, lost, 40);
      for (size_t i = 0; i < lost.size(); ++i) ASSERT_EQ(restored[i], stripe[lost[i]]) << lost[i];
    }
  }
}

TEST(Reconstruct, RestoresTheLargestRaid6AndXor) {
  std::mt19937 random(15);
  for (const Geometry& geometry :
       {Geometry::Make(Code::kRaid6, 255, 2).value(), Geometry::Make(Code::kXor, 255, 1).value()}) {
    const std::vector<Bytes> stripe = RandomStripe(geometry, 40, random);
    std::vector<uint32_t> present(geometry.total_shards());
    std::iota(present.begin(), present.end(), 0);
    std::vector<uint32_t> lost = {254, 0};
    lost.resize(geometry.parity_shards());
    for (const uint32_t shard : lost) {
      present.erase(std::find(present.begin(), present.end(), shard));
    }
    const std::vector<Bytes> restored = Reconstruct(geometry, stripe, present, lost, 40);
    for (size_t i = 0; i < lost.size(); ++i) EXPECT_EQ(restored[i], stripe[lost[i]]) << lost[i];
  }
}

TEST(Reconstruct, TakesShorterShardsAsFollowedByZeros) {
  std::mt19937 random(4);
  const Geometry geometry = Geometry::Make(Code::kReedSolomon, 4, 3).value();
  std::vector<Bytes> stripe = {Noise(200, random), Noise(3, random), {}, Noise(150, random)};
  for (Bytes& parity : DefinedParity(geometry, stripe, 200)) stripe.push_back(std::move(parity));
  const std::vector<Bytes> restored = Reconstruct(geometry, stripe, {1, 5, 4, 2}, {0, 3, 6}, 200);
  EXPECT_EQ(restored[0], stripe[0]);
  stripe[3].resize(200);
  EXPECT_EQ(restored[1], stripe[3]);
  EXPECT_EQ(restored[2], stripe[6]);
}

TEST(Reconstruct, TakesShardsInPieces) {
  std::mt19937 random(5);
  const Geometry geometry = Geometry::Make(Code::kReedSolomon, 3, 2).value();
  for (int round = 0; round < 50; ++round) {
    const std::vector<Bytes> stripe = RandomStripe(geometry, 3000, random);
    const std::vector<Bytes> sources = {stripe[1], stripe[4], stripe[3]};
    std::vector<Bytes> out(2, Bytes(3000));
    Batch batch(BestTable());
    ASSERT_TRUE(Codec(geometry)
                    .Reconstruct({1, 4, 3}, ShardList(sources, random).shards(), 3000, {2, 0},
                                 Pointers(out), batch)
                    .ok());
    batch.Run();
    ASSERT_EQ(out[0], stripe[2]);
    ASSERT_EQ(out[1], stripe[0]);
  }
}

TEST(Reconstruct, MayWriteOverAShardThatItReads) {
  std::mt19937 random(6);
  const Geometry geometry = Geometry::Make(Code::kReedSolomon, 3, 2).value();
  const std::vector<Bytes> stripe = RandomStripe(geometry, 999, random);
  std::vector<Bytes> sources = {stripe[0], stripe[3], stripe[4]};
  const std::vector<uint8_t*> out = {sources[2].data(), sources[0].data()};
  Batch batch(BestTable());
  ASSERT_TRUE(Codec(geometry)
                  .Reconstruct({0, 3, 4}, ShardList(sources).shards(), 999, {1, 2}, out, batch)
                  .ok());
  batch.Run();
  EXPECT_EQ(sources[2], stripe[1]);
  EXPECT_EQ(sources[0], stripe[2]);
}

// P of a stripe of RAID-6 is the XOR of the data, and so is data lost alone.
TEST(Reconstruct, UsesXorAndPqWhereItCan) {
  const NotedCalls& noted = ForgetNotedCalls();
  const Codec codec(Geometry::Make(Code::kRaid6, 3, 2).value());
  const std::vector<Bytes> sources(3, Bytes(10));
  std::vector<Bytes> out(2, Bytes(10));
  Batch batch(kNotingTable);
  const ShardList list(sources);
  const std::vector<Shard> shards = list.shards();
  ASSERT_TRUE(codec.Reconstruct({0, 2, 3}, shards, 10, {1}, {out[0].data()}, batch).ok());
  batch.Run();
  EXPECT_EQ(noted.xor_generate.size(), 1u);
  ASSERT_TRUE(codec.Reconstruct({2, 0, 1}, shards, 10, {4, 3}, Pointers(out), batch).ok());
  batch.Run();
  ASSERT_EQ(noted.pq_generate.size(), 1u);
  const NotedJob job = {{sources[1].data(), sources[2].data(), sources[0].data()},
                        {out[1].data(), out[0].data()},
                        {},
                        10};
  EXPECT_EQ(noted.pq_generate[0], NotedJobs{job});
  EXPECT_TRUE(noted.gf_matrix.empty());
}

class ReconstructArguments : public testing::Test {
 protected:
  Fault FaultOfReconstruct(const std::vector<uint32_t>& present, const std::vector<Shard>& shards,
                           size_t shard_bytes, const std::vector<uint32_t>& wanted,
                           const std::vector<uint8_t*>& out) {
    const Bytes before = memory_;
    Fault fault = FaultOf(codec_.Reconstruct(present, shards, shard_bytes, wanted, out, batch_));
    batch_.Run();
    EXPECT_EQ(memory_, before) << "something was queued";
    return fault;
  }

  Codec codec_{Geometry::Make(Code::kReedSolomon, 3, 2).value()};
  Bytes memory_ = Bytes(1000, 7);
  Segment segments_[3] = {
      {memory_.data(), 100}, {memory_.data() + 100, 100}, {memory_.data() + 200, 100}};
  Shard a_{&segments_[0], 1};
  Shard b_{&segments_[1], 1};
  Shard c_{&segments_[2], 1};
  uint8_t* free_ = memory_.data() + 500;
  Batch batch_{BestTable()};
};

TEST_F(ReconstructArguments, MustNameShardsOfTheStripe) {
  EXPECT_EQ(FaultOfReconstruct({0, 5, 2}, {a_, b_, c_}, 100, {1}, {free_}),
            Invalid("present[1]", "got 5, want less than 5"));
  EXPECT_EQ(FaultOfReconstruct({0, 2, 3}, {a_, b_, c_}, 100, {4, 4294967295}, {free_, free_}),
            Invalid("wanted[1]", "got 4294967295, want less than 5"));
}

TEST_F(ReconstructArguments, MustNameEveryShardOnce) {
  EXPECT_EQ(FaultOfReconstruct({0, 2, 0}, {a_, b_, c_}, 100, {1}, {free_}),
            Invalid("present[2]", "got 0 again, want every shard at most once"));
  EXPECT_EQ(FaultOfReconstruct({0, 2, 3}, {a_, b_, c_}, 100, {1, 1}, {free_, free_ + 100}),
            Invalid("wanted[1]", "got 1 again, want every shard at most once"));
}

TEST_F(ReconstructArguments, MustNotWantWhatIsPresent) {
  EXPECT_EQ(FaultOfReconstruct({0, 2, 3}, {a_, b_, c_}, 100, {1, 2}, {free_, free_ + 100}),
            Invalid("wanted[1]", "got 2, want a shard that is not present"));
}

TEST_F(ReconstructArguments, MustHaveAShardForEachThatIsPresent) {
  EXPECT_EQ(FaultOfReconstruct({0, 2, 3}, {a_, b_}, 100, {1}, {free_}),
            Invalid("shards", "got 2, want 3"));
}

TEST_F(ReconstructArguments, MustHaveAnOutputForEachThatIsWanted) {
  EXPECT_EQ(FaultOfReconstruct({0, 2, 3}, {a_, b_, c_}, 100, {1, 4}, {free_}),
            Invalid("out", "got 1, want 2"));
}

TEST_F(ReconstructArguments, MustNotBeLongerThanTheStripe) {
  EXPECT_EQ(FaultOfReconstruct({0, 2, 3}, {a_, b_, c_}, 99, {1}, {free_}),
            Invalid("shards[0]", "got 100 bytes, want at most 99"));
}

TEST_F(ReconstructArguments, MustNotOverlapInPart) {
  EXPECT_EQ(FaultOfReconstruct({0, 2, 3}, {a_, b_, c_}, 100, {1, 4}, {free_, free_ + 1}),
            Invalid("out[1]", "got memory that overlaps out[0], want memory of its own"));
  EXPECT_EQ(FaultOfReconstruct({0, 2, 3}, {a_, b_, c_}, 100, {1}, {memory_.data() + 250}),
            Invalid("out[0]",
                    "got memory that overlaps part of shards[2], want memory of its own, or all "
                    "that of a shard in one segment"));
}

TEST_F(ReconstructArguments, MustLeaveEnoughShards) {
  EXPECT_EQ(
      FaultOfReconstruct({0, 3}, {a_, b_}, 100, {1}, {free_}),
      Undetermined("present", "got 2 of 5 shards, 3 missing, want at least 3, at most 2 missing"));
  EXPECT_EQ(
      FaultOfReconstruct({}, {}, 100, {1}, {free_}),
      Undetermined("present", "got 0 of 5 shards, 5 missing, want at least 3, at most 2 missing"));
}

TEST_F(ReconstructArguments, MayWantNothing) {
  EXPECT_TRUE(codec_.Reconstruct({0, 2, 3}, {a_, b_, c_}, 100, {}, {}, batch_).ok());
  EXPECT_TRUE(codec_.Reconstruct({}, {}, 100, {}, {}, batch_).ok());
}

}  // namespace
}  // namespace parity::codec
