#include "stripe_messages.h"

#include <numeric>

#include "gtest/gtest.h"
#include "parity/checksum/crc32c.h"
#include "parity/client/local_coder.h"
#include "server_fixture.h"

namespace parity::testing {
namespace {

client::ShardBytes ViewOf(const std::string& shard) {
  return {reinterpret_cast<const uint8_t*>(shard.data()), shard.size()};
}

std::vector<uint32_t> Range(uint32_t first, uint32_t last) {
  std::vector<uint32_t> range(last - first);
  std::iota(range.begin(), range.end(), first);
  return range;
}

}  // namespace

Stripes::Stripes(const codec::Geometry& of, size_t bytes, uint32_t count, uint32_t seed)
    : geometry(of), shard_bytes(bytes) {
  auto coder = client::MakeLocalCoder("scalar");
  for (uint32_t s = 0; s < count; ++s) {
    std::vector<std::string> stripe;
    std::vector<client::ShardBytes> data;
    for (uint32_t j = 0; j < geometry.data_shards(); ++j) {
      const std::vector<uint8_t> noise = RandomBytes(bytes, seed + s * 1000 + j);
      stripe.emplace_back(noise.begin(), noise.end());
    }
    for (const std::string& shard : stripe) data.push_back(ViewOf(shard));
    std::vector<std::string> parity(geometry.parity_shards(), std::string(bytes, '\0'));
    std::vector<uint8_t*> out;
    for (std::string& shard : parity) out.push_back(reinterpret_cast<uint8_t*>(shard.data()));
    EXPECT_TRUE((*coder)->Encode(geometry, data, bytes, out).ok());
    stripe.insert(stripe.end(), parity.begin(), parity.end());
    shards.push_back(std::move(stripe));
  }
}

std::vector<std::string> Stripes::Pick(const std::vector<uint32_t>& indices) const {
  std::vector<std::string> picked;
  for (const auto& stripe : shards) {
    for (const uint32_t index : indices) picked.push_back(stripe[index]);
  }
  return picked;
}

std::vector<std::string> Stripes::Data() const { return Pick(Range(0, geometry.data_shards())); }
std::vector<std::string> Stripes::Parity() const {
  return Pick(Range(geometry.data_shards(), geometry.total_shards()));
}
std::vector<std::string> Stripes::All() const { return Pick(Range(0, geometry.total_shards())); }

std::string Packed(const std::vector<std::string>& shards) {
  return std::accumulate(shards.begin(), shards.end(), std::string());
}

uint32_t Crc32cOf(const std::string& bytes) { return checksum::Crc32c(ViewOf(bytes)); }

}  // namespace parity::testing
