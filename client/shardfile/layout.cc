#include "parity/shardfile/layout.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "parity/codec/field_error.h"

namespace parity::shardfile {

uint32_t DefaultCellBytes(const codec::Geometry& geometry) {
  constexpr uint32_t kStripeBytes = 8 << 20;
  uint32_t cell_bytes = kDefaultBlockBytes;
  while (2 * cell_bytes <= kStripeBytes / geometry.total_shards()) cell_bytes *= 2;
  return cell_bytes;
}

absl::StatusOr<Layout> Layout::Make(const codec::Geometry& geometry, uint32_t block_bytes,
                                    uint32_t cell_bytes, uint64_t object_bytes) {
  if (geometry.matrix() == codec::Matrix::kCustom) {
    return codec::InvalidField("matrix", std::string(codec::NameOf(geometry.matrix())),
                               "one with a name: a shard file has no room for its factors");
  }
  const uint64_t max_cell_bytes = kMaxStripeBytes / geometry.total_shards();
  if (block_bytes < kMinBlockBytes || (block_bytes & (block_bytes - 1)) != 0) {
    return codec::InvalidField("block_bytes", block_bytes,
                               absl::StrCat("a power of two, at least ", kMinBlockBytes));
  }
  if (cell_bytes == 0 || cell_bytes % block_bytes != 0 || cell_bytes > max_cell_bytes) {
    return codec::InvalidField(
        "cell_bytes", cell_bytes,
        absl::StrCat("a multiple of ", block_bytes, ", at most ", max_cell_bytes));
  }
  if (object_bytes > kMaxObjectBytes) {
    return codec::InvalidField("object_bytes", object_bytes,
                               absl::StrCat("at most ", kMaxObjectBytes));
  }
  return Layout(geometry, block_bytes, cell_bytes, object_bytes);
}

Layout::Layout(const codec::Geometry& geometry, uint32_t block_bytes, uint32_t cell_bytes,
               uint64_t object_bytes)
    : geometry_(geometry),
      block_bytes_(block_bytes),
      cell_bytes_(cell_bytes),
      object_bytes_(object_bytes),
      full_stripes_(object_bytes / stripe_data_bytes()) {
  const uint64_t rest = object_bytes % stripe_data_bytes();
  const uint32_t k = geometry.data_shards();
  last_cell_bytes_ = static_cast<uint32_t>((rest + k - 1) / k);
}

uint64_t Layout::file_bytes() const {
  return kHeaderBytes + full_stripes_ * RecordBytes(cell_bytes_) + RecordBytes(last_cell_bytes_);
}

uint32_t Layout::block_bytes(uint64_t stripe, uint32_t block) const {
  return std::min(block_bytes_, cell_bytes(stripe) - block * block_bytes_);
}

uint32_t Layout::data_bytes(uint64_t stripe) const {
  return static_cast<uint32_t>(
      std::min(stripe_data_bytes(), object_bytes_ - object_offset(stripe)));
}

uint64_t Layout::record_offset(uint64_t stripe) const {
  return kHeaderBytes + stripe * RecordBytes(cell_bytes_);
}

}  // namespace parity::shardfile
