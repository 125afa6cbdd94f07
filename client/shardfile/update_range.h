// Which blocks of a stripe an update touches: arithmetic only.
#ifndef PARITY_SHARDFILE_UPDATE_RANGE_H_
#define PARITY_SHARDFILE_UPDATE_RANGE_H_

#include <cstdint>
#include <vector>

#include "parity/shardfile/layout.h"
#include "parity/shardfile/update.h"

namespace parity::shardfile {

// Bytes [begin, end) of a cell, and where they lie in what replaces them.
struct UpdatePiece {
  uint32_t shard;
  uint32_t begin;
  uint32_t end;
  uint64_t source_offset;
};

// Adjacent blocks of a cell in which the same data shards are touched.
struct UpdateRun {
  uint32_t first_block;
  uint32_t blocks;
  std::vector<uint32_t> pieces;  // numbers of those that touch it
};

// REQUIRES: 0 < bytes <= BytesFrom(layout, place).
class UpdateRange {
 public:
  UpdateRange(const Layout& layout, const UpdatePlace& place, uint64_t bytes)
      : layout_(layout), place_(place), bytes_(bytes) {}

  uint64_t first_stripe() const { return place_.offset / StripeBytes(); }
  uint64_t end_stripe() const { return (place_.offset + bytes_ - 1) / StripeBytes() + 1; }

  // By shard. REQUIRES: first_stripe() <= stripe < end_stripe().
  std::vector<UpdatePiece> PiecesOf(uint64_t stripe) const;
  // Every block that is touched, once.
  std::vector<UpdateRun> RunsOf(const std::vector<UpdatePiece>& pieces) const;

 private:
  // What the offset counts in a stripe.
  uint64_t StripeBytes() const;

  const Layout& layout_;
  const UpdatePlace place_;
  const uint64_t bytes_;
};

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_UPDATE_RANGE_H_
