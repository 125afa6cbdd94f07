#include "stripe.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "gtest/gtest.h"
#include "parity/client/local_coder.h"

namespace parity::capi {
namespace {

constexpr size_t kGuardBytes = 64;
constexpr uint8_t kGuard = 0xa5;

uint32_t Below(std::mt19937& random, uint32_t end) { return random() % end; }

}  // namespace

Memory::Memory(size_t bytes, size_t misalignment)
    : memory_(bytes + 2 * kGuardBytes, kGuard),
      offset_(misalignment % kGuardBytes),
      bytes_(bytes) {}

bool Memory::guards_are_whole() const {
  for (size_t i = 0; i < memory_.size(); ++i) {
    const bool is_guard = i < offset_ || i >= offset_ + bytes_;
    if (is_guard && memory_[i] != kGuard) return false;
  }
  return true;
}

Stripe::Stripe(uint32_t seed) : random_(seed) {
  const uint32_t code = 1 + Below(random_, 3);
  const uint32_t matrix = code == PARITY_CODE_REED_SOLOMON ? Below(random_, 5) : 0;
  // Both are within what the Vandermonde matrix of ISA-L can restore.
  const uint32_t k = 1 + Below(random_, 10);
  const uint32_t m = code == PARITY_CODE_REED_SOLOMON ? 1 + Below(random_, 4) : code;
  if (matrix == PARITY_MATRIX_CUSTOM) {
    generator_.resize(k * m);
    for (uint8_t& factor : generator_) factor = 1 + Below(random_, 255);
  }
  geometry_ = {
      code, matrix, k, m, generator_.empty() ? nullptr : generator_.data(), generator_.size()};
  shard_bytes_ = 1 + Below(random_, 5000);
  Fill(false);
}

Stripe::Stripe(const parity_geometry& geometry, size_t shard_bytes, uint32_t seed)
    : random_(seed), geometry_(geometry), shard_bytes_(shard_bytes) {
  Fill(true);
}

codec::Geometry Stripe::codec_geometry() const {
  if (geometry_.matrix == PARITY_MATRIX_CUSTOM) {
    return *codec::Geometry::MakeCustom(k(), m(), generator_);
  }
  return *codec::Geometry::Make(
      static_cast<codec::Code>(geometry_.code), k(), m(),
      geometry_.matrix == 0
          ? std::nullopt
          : std::optional<codec::Matrix>(static_cast<codec::Matrix>(geometry_.matrix)));
}

void Stripe::Fill(bool whole) {
  std::vector<client::ShardBytes> data;
  std::vector<uint8_t*> parity;
  memory_.reserve(k() + m());
  for (uint32_t shard = 0; shard < k() + m(); ++shard) {
    const bool is_short = !whole && shard < k() && Below(random_, 3) == 0;
    lengths_.push_back(is_short ? Below(random_, shard_bytes_ + 1) : shard_bytes_);
    Memory& memory = memory_.emplace_back(lengths_.back(), random_());
    std::generate_n(memory.data(), lengths_.back(), [this] { return random_(); });
    shards_.push_back(lengths_.back() == 0 ? nullptr : memory.data());
    if (shard < k()) {
      data.emplace_back(memory.data(), lengths_.back());
    } else {
      parity.push_back(memory.data());
    }
  }
  const auto local = *client::MakeLocalCoder();
  const absl::Status status = local->Encode(codec_geometry(), data, shard_bytes_, parity);
  EXPECT_TRUE(status.ok()) << status;
}

std::vector<uint8_t> Stripe::Contents(uint32_t shard) const {
  std::vector<uint8_t> contents = memory_[shard].contents();
  contents.resize(shard_bytes_);
  return contents;
}

std::vector<uint32_t> Stripe::Choose(uint32_t count, uint32_t of) {
  std::vector<uint32_t> shards(of);
  std::iota(shards.begin(), shards.end(), 0);
  std::shuffle(shards.begin(), shards.end(), random_);
  shards.resize(count);
  return shards;
}

Outputs::Outputs(size_t count, size_t bytes) {
  memory_.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    pointers_.push_back(memory_.emplace_back(bytes, 7 * i + 3).data());
  }
}

bool Outputs::guards_are_whole() const {
  return std::all_of(memory_.begin(), memory_.end(),
                     [](const Memory& memory) { return memory.guards_are_whole(); });
}

}  // namespace parity::capi
