#include <isa-l/erasure_code.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "noting_table.h"
#include "stripe.h"

namespace parity::codec {
namespace {

std::vector<Bytes> Encode(const Geometry& geometry, const std::vector<Shard>& data,
                          size_t shard_bytes, const kernels::KernelTable& table = BestTable()) {
  std::vector<Bytes> parity(geometry.parity_shards(), Bytes(shard_bytes));
  Batch batch(table);
  const absl::Status status = Codec(geometry).Encode(data, shard_bytes, Pointers(parity), batch);
  EXPECT_TRUE(status.ok()) << status;
  batch.Run();
  return parity;
}

TEST(Encode, GivesTheDefinedParityOfEveryCode) {
  std::mt19937 random(1);
  for (const Geometry& geometry : GeometriesUpTo(12)) {
    for (const size_t shard_bytes : {1, 100, 1000}) {
      std::vector<Bytes> data;
      for (uint32_t j = 0; j < geometry.data_shards(); ++j) {
        data.push_back(Noise(shard_bytes, random));
      }
      ASSERT_EQ(Encode(geometry, ShardList(data).shards(), shard_bytes),
                DefinedParity(geometry, data, shard_bytes))
          << NameOf(geometry) << ", " << shard_bytes << " bytes";
    }
  }
}

TEST(Encode, GivesTheSameBytesWithEveryTable) {
  std::mt19937 random(2);
  const Geometry geometry = Geometry::Make(Code::kReedSolomon, 7, 5).value();
  std::vector<Bytes> data;
  for (uint32_t j = 0; j < 7; ++j) data.push_back(Noise(5000, random));
  const std::vector<Bytes> expected = DefinedParity(geometry, data, 5000);
  for (const kernels::KernelTable* table : kernels::UsableTables(kernels::ReadCpuRegisters())) {
    EXPECT_EQ(Encode(geometry, ShardList(data).shards(), 5000, *table), expected) << table->name;
  }
}

TEST(Encode, GivesTheDefinedParityOfCustomMatrices) {
  std::mt19937 random(8);
  for (const Geometry& geometry : {LocalGroups(), Lopsided()}) {
    std::vector<Bytes> data;
    for (uint32_t j = 0; j < geometry.data_shards(); ++j) data.push_back(Noise(3001, random));
    EXPECT_EQ(Encode(geometry, ShardList(data).shards(), 3001),
              DefinedParity(geometry, data, 3001));
  }
}

TEST(Encode, TakesTheLargestGeometryOfEveryCode) {
  std::mt19937 random(9);
  std::vector<Geometry> geometries = {Geometry::Make(Code::kXor, 255, 1).value(),
                                      Geometry::Make(Code::kRaid6, 255, 2).value(),
                                      Geometry::MakeCustom(255, 1, Bytes(255, 9)).value()};
  for (const Matrix matrix :
       {Matrix::kCauchy, Matrix::kVandermonde, Matrix::kSystematicVandermonde}) {
    for (const uint32_t k : {1, 128, 255}) {
      geometries.push_back(Geometry::Make(Code::kReedSolomon, k, 256 - k, matrix).value());
    }
  }
  for (const Geometry& geometry : geometries) {
    std::vector<Bytes> data;
    for (uint32_t j = 0; j < geometry.data_shards(); ++j) data.push_back(Noise(130, random));
    EXPECT_EQ(Encode(geometry, ShardList(data).shards(), 130), DefinedParity(geometry, data, 130))
        << NameOf(geometry);
  }
}

// ISA-L's parity of the data by the generator that `generate` makes.
std::vector<Bytes> IsaLParity(void (*generate)(unsigned char*, int, int), uint32_t k, uint32_t m,
                              std::vector<Bytes>& data) {
  const int int_k = static_cast<int>(k);
  const int int_m = static_cast<int>(m);
  const size_t shard_bytes = data[0].size();
  Bytes generator(size_t{k + m} * k);
  generate(generator.data(), int_k + int_m, int_k);
  Bytes tables(size_t{32} * k * m);
  ec_init_tables(int_k, int_m, generator.data() + size_t{k} * k, tables.data());
  std::vector<Bytes> parity(m, Bytes(shard_bytes));
  ec_encode_data(static_cast<int>(shard_bytes), int_k, int_m, tables.data(), Pointers(data).data(),
                 Pointers(parity).data());
  return parity;
}

TEST(Encode, MatchesIsaL) {
  constexpr std::pair<uint32_t, uint32_t> kShapes[] = {
      {1, 1}, {2, 2}, {4, 2}, {6, 3}, {10, 4}, {20, 5}, {64, 32}, {200, 55}, {1, 254}, {254, 1}};
  std::mt19937 random(3);
  for (const auto& [k, m] : kShapes) {
    std::vector<Bytes> data;
    for (uint32_t j = 0; j < k; ++j) data.push_back(Noise(517, random));
    const auto encode = [k = k, m = m, &data](Matrix matrix) {
      const Geometry geometry = Geometry::Make(Code::kReedSolomon, k, m, matrix).value();
      return Encode(geometry, ShardList(data).shards(), 517);
    };
    ASSERT_EQ(encode(Matrix::kCauchy), IsaLParity(gf_gen_cauchy1_matrix, k, m, data));
    ASSERT_EQ(encode(Matrix::kVandermonde), IsaLParity(gf_gen_rs_matrix, k, m, data));
  }
}

// The numbers that klauspost/reedsolomon's and Backblaze's own tests of one stripe have.
TEST(Encode, MatchesKlauspostAndBackblaze) {
  const std::vector<Bytes> data = {{0, 1}, {4, 5}, {2, 3}, {6, 7}, {8, 9}};
  const std::vector<Bytes> parity = {{12, 13}, {10, 11}, {14, 15}, {90, 91}, {94, 95}};
  const Geometry geometry =
      Geometry::Make(Code::kReedSolomon, 5, 5, Matrix::kSystematicVandermonde).value();
  EXPECT_EQ(Encode(geometry, ShardList(data).shards(), 2), parity);
}

TEST(Encode, TakesTheKernelOfItsCode) {
  const std::vector<Bytes> data(3, Bytes(10));
  const NotedCalls& noted = ForgetNotedCalls();
  Encode(Geometry::Make(Code::kXor, 3, 1).value(), ShardList(data).shards(), 10, kNotingTable);
  EXPECT_EQ(noted.xor_generate.size(), 1u);
  Encode(Geometry::Make(Code::kRaid6, 3, 2).value(), ShardList(data).shards(), 10, kNotingTable);
  EXPECT_EQ(noted.pq_generate.size(), 1u);
  Encode(Geometry::Make(Code::kReedSolomon, 3, 2).value(), ShardList(data).shards(), 10,
         kNotingTable);
  EXPECT_EQ(noted.gf_matrix.size(), 1u);
}

TEST(Encode, TakesShorterShardsAsFollowedByZeros) {
  std::mt19937 random(4);
  for (const Geometry& geometry : GeometriesUpTo(7)) {
    // Longer than the zeros that ended shards are read from, too.
    for (const size_t shard_bytes : {100, 40000}) {
      std::vector<Bytes> data;
      for (uint32_t j = 0; j < geometry.data_shards(); ++j) {
        const bool is_empty = j % 3 == 1;
        data.push_back(Noise(is_empty ? 0 : random() % (shard_bytes + 1), random));
      }
      ASSERT_EQ(Encode(geometry, ShardList(data).shards(), shard_bytes),
                DefinedParity(geometry, data, shard_bytes));
    }
  }
}

TEST(Encode, TakesShardsInPieces) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const Geometry geometry =
        Geometry::Make(Code::kReedSolomon, 1 + random() % 6, 1 + random() % 5).value();
    const size_t shard_bytes = random() % 6000;
    std::vector<Bytes> data;
    for (uint32_t j = 0; j < geometry.data_shards(); ++j) {
      data.push_back(Noise(random() % 2 == 0 ? shard_bytes : random() % (shard_bytes + 1), random));
    }
    ASSERT_EQ(Encode(geometry, ShardList(data, random).shards(), shard_bytes),
              DefinedParity(geometry, data, shard_bytes));
  }
}

TEST(Encode, QueuesManyStripesInOneBatch) {
  std::mt19937 random(6);
  std::vector<std::vector<Bytes>> data;
  std::vector<std::vector<Bytes>> parity;
  std::vector<std::vector<Bytes>> expected;
  Batch batch(BestTable());
  for (const Geometry& geometry : GeometriesUpTo(6)) {
    std::vector<Bytes> stripe = RandomStripe(geometry, 333, random);
    const auto first_parity = stripe.begin() + geometry.data_shards();
    expected.emplace_back(first_parity, stripe.end());
    stripe.erase(first_parity, stripe.end());
    data.push_back(std::move(stripe));
    parity.emplace_back(geometry.parity_shards(), Bytes(333));
    ASSERT_TRUE(Codec(geometry)
                    .Encode(ShardList(data.back()).shards(), 333, Pointers(parity.back()), batch)
                    .ok());
  }
  batch.Run();
  EXPECT_EQ(parity, expected);
}

TEST(Encode, MayWriteParityOverDataOfOneSegment) {
  std::mt19937 random(7);
  const Geometry geometry = Geometry::Make(Code::kReedSolomon, 6, 6).value();
  std::vector<Bytes> shards;
  for (uint32_t j = 0; j < 6; ++j) shards.push_back(Noise(3000, random));
  const std::vector<Bytes> expected = DefinedParity(geometry, shards, 3000);
  std::vector<uint8_t*> parity = Pointers(shards);
  std::reverse(parity.begin(), parity.end());
  Batch batch(BestTable());
  ASSERT_TRUE(Codec(geometry).Encode(ShardList(shards).shards(), 3000, parity, batch).ok());
  batch.Run();
  for (uint32_t r = 0; r < 6; ++r) EXPECT_EQ(shards[5 - r], expected[r]);
}

TEST(Encode, DoesNothingForNoBytes) {
  const Geometry geometry = Geometry::Make(Code::kRaid6, 2, 2).value();
  EXPECT_EQ(Encode(geometry, std::vector<Shard>(2), 0), std::vector<Bytes>(2));
}

class EncodeArguments : public testing::Test {
 protected:
  Fault FaultOfEncode(const std::vector<Shard>& shards, size_t shard_bytes,
                      const std::vector<uint8_t*>& parity) {
    const Bytes before = memory_;
    Fault fault = FaultOf(codec_.Encode(shards, shard_bytes, parity, batch_));
    batch_.Run();
    EXPECT_EQ(memory_, before) << "something was queued";
    return fault;
  }
  Segment At(size_t offset, size_t bytes) { return {memory_.data() + offset, bytes}; }

  Codec codec_{Geometry::Make(Code::kReedSolomon, 2, 2).value()};
  Bytes memory_ = Bytes(1000, 7);
  Segment a_ = At(0, 100);
  Segment b_ = At(100, 100);
  Shard first_{&a_, 1};
  Shard second_{&b_, 1};
  uint8_t* free_ = memory_.data() + 500;
  Batch batch_{BestTable()};
};

TEST_F(EncodeArguments, MustHaveEveryDataShard) {
  EXPECT_EQ(FaultOfEncode({first_}, 100, {free_, free_ + 100}), Invalid("shards", "got 1, want 2"));
  EXPECT_EQ(FaultOfEncode({first_, second_, first_}, 100, {free_, free_ + 100}),
            Invalid("shards", "got 3, want 2"));
}

TEST_F(EncodeArguments, MustHaveEveryParityShard) {
  EXPECT_EQ(FaultOfEncode({first_, second_}, 100, {free_}), Invalid("parity", "got 1, want 2"));
}

TEST_F(EncodeArguments, MustNotBeLongerThanTheStripe) {
  EXPECT_EQ(FaultOfEncode({first_, second_}, 99, {free_, free_ + 100}),
            Invalid("shards[0]", "got 100 bytes, want at most 99"));
  const Segment pieces[] = {At(200, 60), At(300, 41)};
  EXPECT_EQ(FaultOfEncode({first_, Shard(pieces)}, 100, {free_, free_ + 100}),
            Invalid("shards[1]", "got 101 bytes, want at most 100"));
}

TEST_F(EncodeArguments, MustNotClaimMoreThanAddressSpaceHolds) {
  const Segment pieces[] = {At(0, std::numeric_limits<size_t>::max()), At(0, 2)};
  EXPECT_EQ(FaultOfEncode({Shard(pieces), second_}, 100, {free_, free_ + 100}),
            Invalid("shards[0]", "got 18446744073709551615 bytes, want at most 100"));
  EXPECT_EQ(FaultOfEncode({first_, second_}, (size_t{1} << 40) + 1, {free_, free_ + 100}),
            Invalid("shard_bytes", "got 1099511627777, want at most 1099511627776"));
}

TEST_F(EncodeArguments, MustNotOverlapInTheirOutputs) {
  EXPECT_EQ(FaultOfEncode({first_, second_}, 100, {free_, free_ + 99}),
            Invalid("parity[1]", "got memory that overlaps parity[0], want memory of its own"));
  EXPECT_EQ(FaultOfEncode({first_, second_}, 100, {free_, free_}),
            Invalid("parity[1]", "got memory that overlaps parity[0], want memory of its own"));
}

TEST_F(EncodeArguments, MustNotOverlapInPart) {
  const std::string want = ", want memory of its own, or all that of a shard in one segment";
  EXPECT_EQ(FaultOfEncode({first_, second_}, 100, {free_, memory_.data() + 199}),
            Invalid("parity[1]", "got memory that overlaps part of shards[1]" + want));
  EXPECT_EQ(FaultOfEncode({first_, second_}, 100, {memory_.data() + 1, free_}),
            Invalid("parity[0]", "got memory that overlaps part of shards[0]" + want));
  const Segment shorter = At(500, 99);
  EXPECT_EQ(FaultOfEncode({Shard(&shorter, 1), second_}, 100, {free_, free_ + 100}),
            Invalid("parity[0]", "got memory that overlaps part of shards[0]" + want));
  const Segment pieces[] = {At(500, 50), At(550, 50)};
  EXPECT_EQ(FaultOfEncode({first_, Shard(pieces)}, 100, {free_, free_ + 100}),
            Invalid("parity[0]", "got memory that overlaps part of shards[1]" + want));
}

TEST_F(EncodeArguments, MayTouchWithoutOverlapping) {
  const Segment between = At(300, 100);
  const Segment nothing = At(250, 0);
  const std::vector<Shard> shards = {Shard(&between, 1), Shard(&nothing, 1)};
  const std::vector<uint8_t*> parity = {memory_.data() + 200, memory_.data() + 400};
  EXPECT_TRUE(codec_.Encode(shards, 100, parity, batch_).ok());
}

}  // namespace
}  // namespace parity::codec
