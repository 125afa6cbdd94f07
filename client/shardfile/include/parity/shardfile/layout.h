// Where the bytes of an object lie in its shard files: arithmetic only.
//
// Key decision: every offset follows from the geometry and three sizes, so that files are read and
// written in any order and no table of contents has to be kept, in memory or on disk. README.md in
// this directory has the formulae.
#ifndef PARITY_SHARDFILE_LAYOUT_H_
#define PARITY_SHARDFILE_LAYOUT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "parity/codec/geometry.h"

namespace parity::shardfile {

inline constexpr uint32_t kHeaderBytes = 128;
inline constexpr uint32_t kChecksumBytes = 4;  // of one block

inline constexpr uint32_t kMinBlockBytes = 512;
inline constexpr uint32_t kDefaultBlockBytes = 64 << 10;
// Of all k+m cells of a stripe: what reading one stripe may ask of memory, and half of what a
// server takes as one message.
inline constexpr uint64_t kMaxStripeBytes = 32 << 20;
inline constexpr uint64_t kMaxObjectBytes = uint64_t{1} << 60;

// The largest power of two for which the k+m cells of a stripe hold at most 8 MiB, but not less
// than kDefaultBlockBytes: 1 MiB for 4+2.
uint32_t DefaultCellBytes(const codec::Geometry& geometry);

// An object is cut into stripes, a stripe into one cell for each shard, a cell into blocks. All
// stripes but the last have cells of cell_bytes(); the last has shorter ones. A shard is the cells
// with its index, back to back; in the shard's file, the checksums of a cell's blocks follow it,
// and both together are a record.
//
// Immutable value. For functions of a stripe, REQUIRES: stripe < stripes().
class Layout {
 public:
  // INVALID_ARGUMENT, naming the field, unless block_bytes is a power of two and at least
  // kMinBlockBytes, cell_bytes is a positive multiple of it, a stripe holds at most kMaxStripeBytes
  // and the object at most kMaxObjectBytes; and for a custom matrix, which a header cannot hold.
  static absl::StatusOr<Layout> Make(const codec::Geometry& geometry, uint32_t block_bytes,
                                     uint32_t cell_bytes, uint64_t object_bytes);

  const codec::Geometry& geometry() const { return geometry_; }
  uint32_t block_bytes() const { return block_bytes_; }
  uint32_t cell_bytes() const { return cell_bytes_; }
  uint64_t object_bytes() const { return object_bytes_; }

  // 0 for an empty object.
  uint64_t stripes() const { return full_stripes_ + (last_cell_bytes_ > 0 ? 1 : 0); }
  // Of every shard, and of every shard's file.
  uint64_t shard_bytes() const { return full_stripes_ * cell_bytes_ + last_cell_bytes_; }
  uint64_t file_bytes() const;

  // Of each cell of the stripe; the blocks of such a cell, and the bytes of one of these blocks.
  uint32_t cell_bytes(uint64_t stripe) const {
    return stripe < full_stripes_ ? cell_bytes_ : last_cell_bytes_;
  }
  uint32_t blocks(uint64_t stripe) const { return BlocksIn(cell_bytes(stripe)); }
  uint32_t block_bytes(uint64_t stripe, uint32_t block) const;

  // Where the stripe's data starts in the object and how much there is; it may end within the
  // cells.
  uint64_t object_offset(uint64_t stripe) const { return stripe * stripe_data_bytes(); }
  uint32_t data_bytes(uint64_t stripe) const;

  // Where a cell starts in its shard, where its record starts in the file, and where its checksums
  // do.
  uint64_t shard_offset(uint64_t stripe) const { return stripe * cell_bytes_; }
  uint64_t record_offset(uint64_t stripe) const;
  uint64_t checksum_offset(uint64_t stripe) const {
    return record_offset(stripe) + cell_bytes(stripe);
  }

  friend bool operator==(const Layout& a, const Layout& b) {
    return a.geometry_ == b.geometry_ && a.block_bytes_ == b.block_bytes_ &&
           a.cell_bytes_ == b.cell_bytes_ && a.object_bytes_ == b.object_bytes_;
  }
  friend bool operator!=(const Layout& a, const Layout& b) { return !(a == b); }

 private:
  Layout(const codec::Geometry& geometry, uint32_t block_bytes, uint32_t cell_bytes,
         uint64_t object_bytes);

  uint64_t stripe_data_bytes() const { return uint64_t{cell_bytes_} * geometry_.data_shards(); }
  uint32_t BlocksIn(uint32_t bytes) const { return (bytes + block_bytes_ - 1) / block_bytes_; }
  uint64_t RecordBytes(uint32_t bytes) const {
    return bytes + uint64_t{BlocksIn(bytes)} * kChecksumBytes;
  }

  codec::Geometry geometry_;
  uint32_t block_bytes_;
  uint32_t cell_bytes_;
  uint64_t object_bytes_;
  uint64_t full_stripes_;
  uint32_t last_cell_bytes_;  // 0 if the object ends with a full stripe
};

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_LAYOUT_H_
