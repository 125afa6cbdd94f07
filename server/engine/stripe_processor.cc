#include "parity/engine/stripe_processor.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace parity::engine {
namespace {

std::vector<uint8_t*> PointersTo(const ComputedShards& shards) {
  std::vector<uint8_t*> pointers(shards.count);
  for (uint32_t i = 0; i < shards.count; ++i) {
    pointers[i] = shards.buffer.data() + i * shards.shard_bytes;
  }
  return pointers;
}

}  // namespace

StripeProcessor::StripeProcessor(const kernels::KernelTable& table,
                                 std::shared_ptr<BufferPool> pool)
    : table_(table), pool_(std::move(pool)), batch_(table) {}

absl::StatusOr<ComputedShards> StripeProcessor::Allocate(size_t shard_bytes, size_t count) {
  ComputedShards shards{pool_->Get(shard_bytes * count), shard_bytes, static_cast<uint32_t>(count)};
  if (shards.buffer.data() == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for ", count, " shards of ", shard_bytes, " bytes"));
  }
  return shards;
}

absl::StatusOr<ComputedShards> StripeProcessor::Encode(const codec::Geometry& geometry,
                                                       absl::Span<const codec::Shard> data,
                                                       size_t shard_bytes) {
  absl::StatusOr<ComputedShards> parity = Allocate(shard_bytes, geometry.parity_shards());
  if (!parity.ok()) return parity;
  absl::Status status =
      codecs_.Get(geometry)->Encode(data, shard_bytes, PointersTo(*parity), batch_);
  if (!status.ok()) return status;
  return parity;
}

absl::StatusOr<ComputedShards> StripeProcessor::Reconstruct(const codec::Geometry& geometry,
                                                            absl::Span<const uint32_t> present,
                                                            absl::Span<const codec::Shard> shards,
                                                            size_t shard_bytes,
                                                            absl::Span<const uint32_t> wanted) {
  absl::StatusOr<ComputedShards> out = Allocate(shard_bytes, wanted.size());
  if (!out.ok()) return out;
  absl::Status status = codecs_.Get(geometry)->Reconstruct(present, shards, shard_bytes, wanted,
                                                           PointersTo(*out), batch_);
  if (!status.ok()) return status;
  return out;
}

absl::StatusOr<codec::VerifyReport> StripeProcessor::Verify(const codec::Geometry& geometry,
                                                            absl::Span<const codec::Shard> shards,
                                                            size_t shard_bytes) {
  return codecs_.Get(geometry)->Verify(shards, shard_bytes, table_);
}

}  // namespace parity::engine
