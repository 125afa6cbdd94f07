#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"
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

// The shards whose bit is set in `pattern`, and the others.
std::pair<std::vector<uint32_t>, std::vector<uint32_t>> Split(uint32_t total, uint32_t pattern) {
  std::vector<uint32_t> set;
  std::vector<uint32_t> others;
  for (uint32_t shard = 0; shard < total; ++shard) {
    ((pattern >> shard & 1) != 0 ? set : others).push_back(shard);
  }
  return {set, others};
}

TEST(Reconstruct, RestoresEveryPatternOfLosses) {
  constexpr size_t kShardBytes = 77;
  std::mt19937 random(1);
  for (const Geometry& geometry : GeometriesUpTo(10)) {
    const std::vector<Bytes> stripe = RandomStripe(geometry, kShardBytes, random);
    for (uint32_t pattern = 1; pattern < 1u << geometry.total_shards(); ++pattern) {
      auto [lost, present] = Split(geometry.total_shards(), pattern);
      if (lost.size() > geometry.parity_shards()) continue;
      std::shuffle(present.begin(), present.end(), random);
      const std::vector<Bytes> restored = Reconstruct(geometry, stripe, present, lost, kShardBytes);
      for (size_t i = 0; i < lost.size(); ++i) {
        ASSERT_EQ(restored[i], stripe[lost[i]])
            << NameOf(geometry.code()) << " " << geometry.data_shards() << "+"
            << geometry.parity_shards() << ", lost " << pattern << ", shard " << lost[i];
      }
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
  for (const auto& [k, m] : {std::pair<uint32_t, uint32_t>{200, 55}, {17, 3}, {2, 253}}) {
    const Geometry geometry = Geometry::Make(Code::kReedSolomon, k, m).value();
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
TEST(Reconstruct, UsesXorWhereItCan) {
  static size_t xor_jobs;
  static size_t gf_jobs;
  xor_jobs = gf_jobs = 0;
  constexpr kernels::KernelTable kCounting = {
      "counting", 0, false, [](const kernels::XorJob*, size_t count) { xor_jobs += count; },
      [](const kernels::GfMatrixJob*, size_t count) { gf_jobs += count; }};
  std::mt19937 random(7);
  const Geometry geometry = Geometry::Make(Code::kRaid6, 3, 2).value();
  const std::vector<Bytes> stripe = RandomStripe(geometry, 10, random);
  const std::vector<Bytes> sources = {stripe[0], stripe[2], stripe[3]};
  Bytes out(10);
  Batch batch(kCounting);
  ASSERT_TRUE(Codec(geometry)
                  .Reconstruct({0, 2, 3}, ShardList(sources).shards(), 10, {1}, {out.data()}, batch)
                  .ok());
  batch.Run();
  EXPECT_EQ(xor_jobs, 1u);
  EXPECT_EQ(gf_jobs, 0u);
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
  EXPECT_EQ(FaultOfReconstruct({0, 3}, {a_, b_}, 100, {1}, {free_}),
            (Fault{absl::StatusCode::kFailedPrecondition, "present",
                   "present: got 2 of 5 shards, 3 missing, want at least 3, at most 2 missing"}));
  EXPECT_EQ(FaultOfReconstruct({}, {}, 100, {1}, {free_}).code,
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(ReconstructArguments, MayWantNothing) {
  EXPECT_TRUE(codec_.Reconstruct({0, 2, 3}, {a_, b_, c_}, 100, {}, {}, batch_).ok());
}

}  // namespace
}  // namespace parity::codec
