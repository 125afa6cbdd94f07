#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "noting_table.h"
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

// Every named geometry of up to 9 shards, and custom ones.
std::vector<Geometry> SmallGeometries() {
  std::vector<Geometry> geometries = GeometriesUpTo(9);
  geometries.push_back(LocalGroups());
  geometries.push_back(Lopsided());
  return geometries;
}

TEST(Verify, FindsNothingInAConsistentStripe) {
  std::mt19937 random(1);
  for (const Geometry& geometry : SmallGeometries()) {
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

// A shard alone explains a flip if no other flip, of any shard, gives the same differences.
TEST(Verify, SuspectsTheOnlyShardThatExplainsAFlip) {
  std::mt19937 random(11);
  for (const Geometry& geometry : {LocalGroups(), Lopsided()}) {
    const Rows generator = DefinedGenerator(geometry);
    const uint32_t k = geometry.data_shards();
    const uint32_t total = geometry.total_shards();
    // What a flip of bits `error` in a shard changes of the parity that the data gives, or that is
    // stored.
    const auto differences = [&](uint32_t shard, uint8_t error) {
      Row changes;
      for (uint32_t r = 0; r < geometry.parity_shards(); ++r) {
        changes.push_back(shard < k ? Product(generator[r][shard], error)
                                    : static_cast<uint8_t>(shard == k + r ? error : 0));
      }
      return changes;
    };
    std::vector<Bytes> stripe = RandomStripe(geometry, 10, random);
    for (uint32_t shard = 0; shard < total; ++shard) {
      bool is_alone = true;
      for (uint32_t other = 0; other < total; ++other) {
        for (int error = 1; error < 256 && other != shard; ++error) {
          is_alone &= differences(other, static_cast<uint8_t>(error)) != differences(shard, 0x21);
        }
      }
      stripe[shard][7] ^= 0x21;
      const VerifyReport report = Verify(geometry, stripe);
      stripe[shard][7] ^= 0x21;
      ASSERT_EQ(report.first_offset(), 7u);
      ASSERT_EQ(report.suspect, is_alone ? std::optional<uint32_t>(shard) : std::nullopt) << shard;
    }
  }
}

TEST(Verify, FindsTheOffsetWhereverSegmentsAndShardsEnd) {
  std::mt19937 random(12);
  for (int round = 0; round < 300; ++round) {
    const std::vector<Geometry> geometries = {Geometry::Make(Code::kXor, 3, 1).value(),
                                              Geometry::Make(Code::kRaid6, 3, 2).value(),
                                              Geometry::Make(Code::kReedSolomon, 3, 3).value()};
    const Geometry& geometry = geometries[random() % 3];
    const size_t shard_bytes = 1 + random() % 5000;
    std::vector<Bytes> stripe = RandomStripe(geometry, shard_bytes, random);
    std::vector<std::optional<uint64_t>> expected(geometry.parity_shards());
    for (uint32_t r = 0; r < geometry.parity_shards(); ++r) {
      Bytes& parity = stripe[3 + r];
      for (size_t flips = random() % 3; flips > 0; --flips) {
        const size_t offset = random() % shard_bytes;
        if (expected[r].has_value() && offset == *expected[r]) continue;
        parity[offset] ^= static_cast<uint8_t>(1 + random() % 255);
        expected[r] = std::min<uint64_t>(expected[r].value_or(offset), offset);
      }
      // Zeros at the end need not be there.
      while (!parity.empty() && parity.back() == 0) parity.pop_back();
    }
    const VerifyReport report = Verify(geometry, ShardList(stripe, random).shards(), shard_bytes);
    std::vector<std::optional<uint64_t>> found(geometry.parity_shards());
    for (const VerifyReport::Mismatch& mismatch : report.mismatches) {
      found[mismatch.shard - 3] = mismatch.offset;
    }
    ASSERT_EQ(found, expected);
  }
}

TEST(Verify, FindsTheSameWithEveryTable) {
  std::mt19937 random(13);
  for (const Geometry& geometry : GeometriesUpTo(6)) {
    std::vector<Bytes> stripe = RandomStripe(geometry, 3000, random);
    stripe[0][2000] ^= 1;
    for (const kernels::KernelTable* table : kernels::UsableTables(kernels::ReadCpuRegisters())) {
      const VerifyReport report =
          Codec(geometry).Verify(ShardList(stripe).shards(), 3000, *table).value();
      ASSERT_EQ(report.mismatches.size(), geometry.parity_shards()) << table->name;
      for (const VerifyReport::Mismatch& mismatch : report.mismatches) {
        ASSERT_EQ(mismatch.offset, 2000u) << table->name;
      }
    }
  }
}

TEST(Verify, StopsSoonAfterEveryParityShardDiffers) {
  const Geometry geometry = Geometry::Make(Code::kRaid6, 2, 2).value();
  const std::vector<Bytes> stripe(4, Bytes(1 << 20));
  ForgetNotedCalls();
  noted_comparisons_differ = true;
  const VerifyReport report =
      Codec(geometry).Verify(ShardList(stripe).shards(), 1 << 20, kNotingTable).value();
  EXPECT_EQ(noted_calls.compared_bytes, std::vector<size_t>{256 << 10});
  EXPECT_EQ(report.first_offset(), 0u);
  noted_comparisons_differ = false;
  ForgetNotedCalls();
  EXPECT_TRUE(
      Codec(geometry).Verify(ShardList(stripe).shards(), 1 << 20, kNotingTable)->consistent());
  EXPECT_EQ(noted_calls.compared_bytes, std::vector<size_t>(4, 256 << 10));
}

// Runs of a few bytes each go to the kernel together, but not without bound.
TEST(Verify, ComparesManyRunsInOneCall) {
  const Geometry geometry = Geometry::Make(Code::kXor, 1, 1).value();
  const Bytes bytes(1000);
  std::vector<Segment> segments;
  for (size_t i = 0; i < 100; ++i) segments.push_back({bytes.data() + 10 * i, 10});
  const Segment whole = {bytes.data(), 1000};
  ForgetNotedCalls();
  EXPECT_TRUE(Codec(geometry)
                  .Verify({Shard(segments), Shard(&whole, 1)}, 1000, kNotingTable)
                  ->consistent());
  EXPECT_EQ(noted_calls.compared_bytes, (std::vector<size_t>{640, 360}));
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

TEST(Verify, TakesTheLargestGeometries) {
  std::mt19937 random(9);
  for (const Geometry& geometry :
       {Geometry::Make(Code::kReedSolomon, 2, 254).value(),
        Geometry::Make(Code::kReedSolomon, 254, 2, Matrix::kSystematicVandermonde).value(),
        Geometry::Make(Code::kReedSolomon, 128, 128, Matrix::kVandermonde).value(),
        Geometry::Make(Code::kRaid6, 255, 2).value()}) {
    std::vector<Bytes> stripe = RandomStripe(geometry, 300, random);
    EXPECT_TRUE(Verify(geometry, stripe).consistent());
    const uint32_t last = geometry.total_shards() - 1;
    stripe[last][299] ^= 1;
    const VerifyReport report = Verify(geometry, stripe);
    ASSERT_EQ(report.mismatches.size(), 1u);
    EXPECT_EQ(report.mismatches[0].shard, last);
    EXPECT_EQ(report.first_offset(), 299u);
    EXPECT_EQ(report.suspect, last);
  }
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
