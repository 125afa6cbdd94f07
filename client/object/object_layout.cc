#include "parity/client/object_layout.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "parity/codec/field_error.h"

namespace parity::client {

uint32_t DefaultCellBytes(const codec::Geometry& geometry) {
  constexpr uint32_t kStripeBytes = 8 << 20;
  uint32_t cell_bytes = 1;
  while (2 * cell_bytes <= kStripeBytes / geometry.total_shards()) cell_bytes *= 2;
  return cell_bytes;
}

absl::StatusOr<ObjectLayout> ObjectLayout::Make(const codec::Geometry& geometry,
                                                uint32_t cell_bytes, uint64_t object_bytes) {
  const uint64_t max_cell_bytes = kMaxObjectStripeBytes / geometry.total_shards();
  if (cell_bytes == 0 || cell_bytes > max_cell_bytes) {
    return codec::InvalidField("cell_bytes", cell_bytes, absl::StrCat("1 to ", max_cell_bytes));
  }
  if (object_bytes > kMaxObjectBytes) {
    return codec::InvalidField("object_bytes", object_bytes,
                               absl::StrCat("at most ", kMaxObjectBytes));
  }
  return ObjectLayout(geometry, cell_bytes, object_bytes);
}

ObjectLayout::ObjectLayout(const codec::Geometry& geometry, uint32_t cell_bytes,
                           uint64_t object_bytes)
    : geometry_(geometry),
      cell_bytes_(cell_bytes),
      object_bytes_(object_bytes),
      full_stripes_(object_bytes / stripe_data_bytes()) {
  const uint64_t rest = object_bytes % stripe_data_bytes();
  const uint32_t k = geometry.data_shards();
  last_cell_bytes_ = static_cast<uint32_t>((rest + k - 1) / k);
}

uint32_t ObjectLayout::data_bytes(uint64_t stripe) const {
  return static_cast<uint32_t>(
      std::min(stripe_data_bytes(), object_bytes_ - object_offset(stripe)));
}

}  // namespace parity::client
