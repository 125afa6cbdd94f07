#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "stripe.h"

namespace parity::codec {
namespace {

std::vector<const uint8_t*> Starts(const std::vector<Bytes>& shards) {
  std::vector<const uint8_t*> starts;
  for (const Bytes& shard : shards) starts.push_back(shard.data());
  return starts;
}

TEST(TryEncode, GivesTheDefinedParityOfEveryCode) {
  std::mt19937 random(1);
  for (const Geometry& geometry : GeometriesUpTo(12)) {
    for (const size_t shard_bytes : {1, 100, 4096}) {
      std::vector<Bytes> data;
      for (uint32_t j = 0; j < geometry.data_shards(); ++j) {
        data.push_back(Noise(shard_bytes, random));
      }
      std::vector<Bytes> parity(geometry.parity_shards(), Bytes(shard_bytes));
      ASSERT_TRUE(
          Codec(geometry).TryEncode(Starts(data), shard_bytes, Pointers(parity), BestTable()));
      ASSERT_EQ(parity, DefinedParity(geometry, data, shard_bytes)) << NameOf(geometry);
    }
  }
}

TEST(TryEncode, LeavesWhatIsNotUsualToEncode) {
  const Geometry geometry = Geometry::Make(Code::kReedSolomon, 3, 2).value();
  const Codec codec(geometry);
  const Bytes untouched(5 * 64 + 64, 7);
  Bytes memory = untouched;
  uint8_t* const m = memory.data();
  const std::vector<const uint8_t*> data = {m, m + 64, m + 128};
  const auto tries = [&](const std::vector<const uint8_t*>& sources, size_t bytes,
                         const std::vector<uint8_t*>& parity) {
    return codec.TryEncode(sources, bytes, parity, BestTable());
  };
  EXPECT_FALSE(tries({m, m + 64}, 64, {m + 192, m + 256}));              // too few shards
  EXPECT_FALSE(tries({m, m, m, m}, 64, {m + 192, m + 256}));             // too many
  EXPECT_FALSE(tries(data, 64, {m + 192}));                              // too little parity
  EXPECT_FALSE(tries(data, 0, {m + 192, m + 256}));                      // nothing to do
  EXPECT_FALSE(tries(data, (size_t{1} << 40) + 1, {m + 192, m + 256}));  // too long
  EXPECT_FALSE(tries(data, 64, {m + 192, m + 255}));                     // outputs overlap
  EXPECT_FALSE(tries(data, 64, {m + 191, m + 256}));                     // a shard's last byte
  EXPECT_FALSE(tries(data, 64, {m + 64, m + 256}));                      // a shard as it is
  EXPECT_EQ(memory, untouched);
  EXPECT_TRUE(tries(data, 64, {m + 192, m + 256}));
}

}  // namespace
}  // namespace parity::codec
