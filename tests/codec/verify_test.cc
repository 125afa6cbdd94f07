#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "stripe.h"

namespace parity::codec {
namespace {

VerifyReport Verify(const Geometry& geometry, const std::vector<Shard>& shards,
                    size_t shard_bytes) {
  return Codec(geometry).Verify(shards, shard_bytes, BestTable()).value();
}

VerifyReport Verify(const Geometry& geometry, const std::vector<Bytes>& stripe) {
  return Verify(geometry, ShardList(stripe).shards(), stripe[0].size());
}

TEST(Verify, FindsNothingInAConsistentStripe) {
  std::mt19937 random(1);
  for (const Geometry& geometry : GeometriesUpTo(9)) {
    for (const size_t shard_bytes : {0, 1, 500, 40000}) {
      const VerifyReport report = Verify(geometry, RandomStripe(geometry, shard_bytes, random));
      EXPECT_TRUE(report.consistent());
      EXPECT_EQ(report.suspect, std::nullopt);
    }
  }
}

TEST(Verify, NamesParityShardAndOffsetOfAFlipInData) {
  std::mt19937 random(2);
  for (const Geometry& geometry : GeometriesUpTo(9)) {
    std::vector<Bytes> stripe = RandomStripe(geometry, 40000, random);
    for (uint32_t shard = 0; shard < geometry.data_shards(); ++shard) {
      const size_t offset = random() % 40000;
      stripe[shard][offset] ^= 0x10;
      const VerifyReport report = Verify(geometry, stripe);
      stripe[shard][offset] ^= 0x10;
      ASSERT_EQ(report.mismatches.size(), geometry.parity_shards());
      for (uint32_t r = 0; r < geometry.parity_shards(); ++r) {
        EXPECT_EQ(report.mismatches[r].shard, geometry.data_shards() + r);
        EXPECT_EQ(report.mismatches[r].offset, offset);
      }
      EXPECT_EQ(report.first_offset(), offset);
      if (geometry.parity_shards() > 1) {
        EXPECT_EQ(report.suspect, shard);
      } else {
        EXPECT_EQ(report.suspect, std::nullopt);
      }
    }
  }
}

TEST(Verify, NamesParityShardAndOffsetOfAFlipInParity) {
  std::mt19937 random(3);
  for (const Geometry& geometry : GeometriesUpTo(9)) {
    std::vector<Bytes> stripe = RandomStripe(geometry, 40000, random);
    for (uint32_t r = 0; r < geometry.parity_shards(); ++r) {
      const uint32_t shard = geometry.data_shards() + r;
      const size_t offset = random() % 40000;
      stripe[shard][offset] ^= 0x80;
      const VerifyReport report = Verify(geometry, stripe);
      stripe[shard][offset] ^= 0x80;
      ASSERT_EQ(report.mismatches.size(), 1u);
      EXPECT_EQ(report.mismatches[0].shard, shard);
      EXPECT_EQ(report.mismatches[0].offset, offset);
      if (geometry.parity_shards() > 1) {
        EXPECT_EQ(report.suspect, shard);
      } else {
        EXPECT_EQ(report.suspect, std::nullopt);
      }
    }
  }
}

TEST(Verify, NamesTheFirstOffsetOfEachParityShard) {
  std::mt19937 random(4);
  const Geometry geometry = Geometry::Make(Code::kReedSolomon, 3, 3).value();
  std::vector<Bytes> stripe = RandomStripe(geometry, 60000, random);
  stripe[3][50000] ^= 1;
  stripe[3][59999] ^= 1;
  stripe[5][20] ^= 1;
  stripe[5][40000] ^= 1;
  const VerifyReport report = Verify(geometry, stripe);
  ASSERT_EQ(report.mismatches.size(), 2u);
  EXPECT_EQ(report.mismatches[0].shard, 3u);
  EXPECT_EQ(report.mismatches[0].offset, 50000u);
  EXPECT_EQ(report.mismatches[1].shard, 5u);
  EXPECT_EQ(report.mismatches[1].offset, 20u);
  EXPECT_EQ(report.first_offset(), 20u);
  EXPECT_EQ(report.suspect, 5u);
}

// With three parity shards no single wrong shard looks like two.
TEST(Verify, SuspectsNoShardWhereTwoAreWrong) {
  std::mt19937 random(5);
  const Geometry geometry = Geometry::Make(Code::kReedSolomon, 4, 3).value();
  std::vector<Bytes> stripe = RandomStripe(geometry, 100, random);
  for (uint32_t a = 0; a < geometry.total_shards(); ++a) {
    for (uint32_t b = 0; b < a; ++b) {
      const size_t offset = random() % 100;
      const uint8_t a_error = static_cast<uint8_t>(1 + random() % 255);
      const uint8_t b_error = static_cast<uint8_t>(1 + random() % 255);
      stripe[a][offset] ^= a_error;
      stripe[b][offset] ^= b_error;
      const VerifyReport report = Verify(geometry, stripe);
      EXPECT_FALSE(report.consistent());
      EXPECT_EQ(report.suspect, std::nullopt) << a << " and " << b;
      stripe[a][offset] ^= a_error;
      stripe[b][offset] ^= b_error;
    }
  }
}

TEST(Verify, SuspectsByTheLowestOffsetAlone) {
  std::mt19937 random(6);
  const Geometry geometry = Geometry::Make(Code::kRaid6, 4, 2).value();
  std::vector<Bytes> stripe = RandomStripe(geometry, 50000, random);
  stripe[2][31000] ^= 5;
  stripe[0][45000] ^= 5;
  EXPECT_EQ(Verify(geometry, stripe).suspect, 2u);
}

TEST(Verify, TakesShardsInPiecesAndShorterOnes) {
  std::mt19937 random(7);
  const Geometry geometry = Geometry::Make(Code::kReedSolomon, 3, 2).value();
  for (int round = 0; round < 50; ++round) {
    constexpr size_t kShardBytes = 40000;
    std::vector<Bytes> stripe = {Noise(random() % kShardBytes, random),
                                 Noise(random() % 1000, random), Noise(kShardBytes / 2, random)};
    for (Bytes& parity : DefinedParity(geometry, stripe, kShardBytes)) {
      // Parity of bytes that no data shard has is 0, and so need not be there.
      parity.resize(std::max({stripe[0].size(), stripe[1].size(), stripe[2].size()}));
      stripe.push_back(std::move(parity));
    }
    EXPECT_TRUE(Verify(geometry, ShardList(stripe, random).shards(), kShardBytes).consistent());

    const size_t offset = random() % (kShardBytes / 2);
    stripe[2][offset] ^= 1;
    const VerifyReport report = Verify(geometry, ShardList(stripe, random).shards(), kShardBytes);
    ASSERT_EQ(report.mismatches.size(), 2u);
    EXPECT_EQ(report.first_offset(), offset);
    EXPECT_EQ(report.suspect, 2u);
  }
}

TEST(Verify, FindsParityThatEndsTooSoon) {
  std::mt19937 random(8);
  const Geometry geometry = Geometry::Make(Code::kXor, 2, 1).value();
  std::vector<Bytes> stripe = RandomStripe(geometry, 1000, random);
  stripe[2][900] = 0x55;
  stripe[0][900] = stripe[1][900] ^ 0x55;
  stripe[2].resize(900);
  EXPECT_EQ(Verify(geometry, stripe).first_offset(), 900u);
}

TEST(Verify, TakesTheLargestGeometry) {
  std::mt19937 random(9);
  const Geometry geometry = Geometry::Make(Code::kReedSolomon, 2, 253).value();
  std::vector<Bytes> stripe = RandomStripe(geometry, 3000, random);
  EXPECT_TRUE(Verify(geometry, stripe).consistent());
  stripe[254][2999] ^= 1;
  const VerifyReport report = Verify(geometry, stripe);
  ASSERT_EQ(report.mismatches.size(), 1u);
  EXPECT_EQ(report.suspect, 254u);
}

TEST(Verify, RefusesBadArguments) {
  std::mt19937 random(10);
  const Geometry geometry = Geometry::Make(Code::kXor, 2, 1).value();
  const std::vector<Bytes> stripe = RandomStripe(geometry, 100, random);
  const ShardList list(stripe);
  std::vector<Shard> shards = list.shards();
  EXPECT_EQ(FaultOf(Codec(geometry).Verify(shards, 99, BestTable()).status()),
            Invalid("shards[0]", "got 100 bytes, want at most 99"));
  shards.pop_back();
  EXPECT_EQ(FaultOf(Codec(geometry).Verify(shards, 100, BestTable()).status()),
            Invalid("shards", "got 2, want 3"));
}

}  // namespace
}  // namespace parity::codec
