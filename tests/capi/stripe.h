// A random stripe with its parity as LocalCoder has it, in memory at any alignment between guards.
#ifndef PARITY_TESTS_CAPI_STRIPE_H_
#define PARITY_TESTS_CAPI_STRIPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "parity.h"
#include "parity/codec/geometry.h"

namespace parity::capi {

// Bytes at an odd place, and whether those around them are as they were.
class Memory {
 public:
  Memory(size_t bytes, size_t misalignment);

  uint8_t* data() { return memory_.data() + offset_; }
  const uint8_t* data() const { return memory_.data() + offset_; }
  std::vector<uint8_t> contents() const { return {data(), data() + bytes_}; }
  bool guards_are_whole() const;

 private:
  std::vector<uint8_t> memory_;
  size_t offset_;
  size_t bytes_;
};

class Stripe {
 public:
  // Of any geometry and length. Some data shards are shorter than the stripe, some are empty.
  explicit Stripe(uint32_t seed);
  // Data shards are whole.
  Stripe(const parity_geometry& geometry, size_t shard_bytes, uint32_t seed);

  const parity_geometry& geometry() const { return geometry_; }
  codec::Geometry codec_geometry() const;
  size_t shard_bytes() const { return shard_bytes_; }
  uint32_t k() const { return geometry_.data_shards; }
  uint32_t m() const { return geometry_.parity_shards; }

  // All k + m of them; the parity is LocalCoder's.
  const std::vector<const uint8_t*>& shards() const { return shards_; }
  const std::vector<size_t>& lengths() const { return lengths_; }
  // Of shard_bytes, zeros where a shard has ended.
  std::vector<uint8_t> Contents(uint32_t shard) const;
  uint8_t* mutable_shard(uint32_t shard) { return memory_[shard].data(); }

  // So many different shards among the first `of`.
  std::vector<uint32_t> Choose(uint32_t count, uint32_t of);
  std::mt19937& random() { return random_; }

 private:
  void Fill(bool whole);

  std::mt19937 random_;
  std::vector<uint8_t> generator_;
  parity_geometry geometry_;
  size_t shard_bytes_;
  std::vector<Memory> memory_;
  std::vector<const uint8_t*> shards_;
  std::vector<size_t> lengths_;
};

// Outputs at odd places.
class Outputs {
 public:
  Outputs(size_t count, size_t bytes);

  uint8_t* const* pointers() const { return pointers_.data(); }
  size_t count() const { return pointers_.size(); }
  std::vector<uint8_t> Contents(size_t output) const { return memory_[output].contents(); }
  bool guards_are_whole() const;

 private:
  std::vector<Memory> memory_;
  std::vector<uint8_t*> pointers_;
};

}  // namespace parity::capi

#endif  // PARITY_TESTS_CAPI_STRIPE_H_
