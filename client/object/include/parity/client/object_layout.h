// Where the bytes of an object lie in its shards: arithmetic only.
//
// Key decision: every place follows from the geometry and two sizes, so a store keeps those with
// the object and no table. With c = cell_bytes, k data shards and n = object_bytes:
//
//   stripes     n / (k c), and one more if k c does not divide n
//   cell(s)     c; of the last stripe, if it is not full, ceil(rest / k) for the rest bytes in it
//   byte x      of the object: stripe s = x / (k c), r = x - s k c; shard r / cell(s), at offset
//               s c + r mod cell(s)
//   shard i     cell i of every stripe, back to back: that of stripe s at s c. Cells of the last
//               stripe that the object does not fill end in zeros
#ifndef PARITY_CLIENT_OBJECT_LAYOUT_H_
#define PARITY_CLIENT_OBJECT_LAYOUT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "parity/codec/geometry.h"

namespace parity::client {

// Of all k+m cells of a stripe.
inline constexpr uint64_t kMaxObjectStripeBytes = uint64_t{1} << 30;
inline constexpr uint64_t kMaxObjectBytes = uint64_t{1} << 60;

// The largest power of two for which the k+m cells of a stripe hold at most 8 MiB: 1 MiB for 4+2,
// 16 KiB for the widest geometry.
uint32_t DefaultCellBytes(const codec::Geometry& geometry);

// Immutable value. For functions of a stripe, REQUIRES: stripe < stripes().
class ObjectLayout {
 public:
  // INVALID_ARGUMENT naming "cell_bytes" if it is 0 or the cells of a stripe exceed
  // kMaxObjectStripeBytes, or "object_bytes" if it exceeds kMaxObjectBytes.
  static absl::StatusOr<ObjectLayout> Make(const codec::Geometry& geometry, uint32_t cell_bytes,
                                           uint64_t object_bytes);

  const codec::Geometry& geometry() const { return geometry_; }
  uint32_t cell_bytes() const { return cell_bytes_; }
  uint64_t object_bytes() const { return object_bytes_; }

  // 0 for an empty object.
  uint64_t stripes() const { return full_stripes_ + (last_cell_bytes_ > 0 ? 1 : 0); }
  // Of every shard, parity or data.
  uint64_t shard_bytes() const { return full_stripes_ * cell_bytes_ + last_cell_bytes_; }
  // Of the data of a stripe that is full.
  uint64_t stripe_data_bytes() const { return uint64_t{cell_bytes_} * geometry_.data_shards(); }

  // Of each cell of the stripe.
  uint32_t cell_bytes(uint64_t stripe) const {
    return stripe < full_stripes_ ? cell_bytes_ : last_cell_bytes_;
  }
  // Where the stripe's data starts in the object, and how much there is.
  uint64_t object_offset(uint64_t stripe) const { return stripe * stripe_data_bytes(); }
  uint32_t data_bytes(uint64_t stripe) const;
  // Where the stripe's cell starts in every shard.
  uint64_t shard_offset(uint64_t stripe) const { return stripe * cell_bytes_; }

  friend bool operator==(const ObjectLayout& a, const ObjectLayout& b) {
    return a.geometry_ == b.geometry_ && a.cell_bytes_ == b.cell_bytes_ &&
           a.object_bytes_ == b.object_bytes_;
  }
  friend bool operator!=(const ObjectLayout& a, const ObjectLayout& b) { return !(a == b); }

 private:
  ObjectLayout(const codec::Geometry& geometry, uint32_t cell_bytes, uint64_t object_bytes);

  codec::Geometry geometry_;
  uint32_t cell_bytes_;
  uint64_t object_bytes_;
  uint64_t full_stripes_;
  uint32_t last_cell_bytes_;  // 0 if the object ends with a full stripe
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_OBJECT_LAYOUT_H_
