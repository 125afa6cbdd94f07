#include "parity/client/coder.h"

#include "absl/strings/str_cat.h"
#include "parity/codec/codec_cache.h"
#include "parity/codec/field_error.h"

namespace parity::client {

absl::Status Coder::Encode(const codec::Geometry& geometry, absl::Span<const ShardBytes> data,
                           size_t shard_bytes, absl::Span<uint8_t* const> parity,
                           const CallOptions& options) {
  return Run({Operation::kEncode, geometry, {}, {}, data, shard_bytes, parity}, options);
}

absl::Status Coder::Reconstruct(const codec::Geometry& geometry, absl::Span<const uint32_t> present,
                                absl::Span<const ShardBytes> shards, size_t shard_bytes,
                                absl::Span<const uint32_t> wanted, absl::Span<uint8_t* const> out,
                                const CallOptions& options) {
  return Run({Operation::kReconstruct, geometry, present, wanted, shards, shard_bytes, out},
             options);
}

absl::StatusOr<codec::VerifyReport> Coder::Verify(const codec::Geometry& geometry,
                                                  absl::Span<const ShardBytes> shards,
                                                  size_t shard_bytes, const CallOptions& options) {
  codec::VerifyReport report;
  const absl::Status status =
      Run({Operation::kVerify, geometry, {}, {}, shards, shard_bytes, {}, &report}, options);
  if (!status.ok()) return status;
  return report;
}

absl::Status Coder::Update(const codec::Geometry& geometry, absl::Span<const uint32_t> changed,
                           absl::Span<const ShardBytes> old_shards,
                           absl::Span<const ShardBytes> new_shards, size_t shard_bytes,
                           absl::Span<uint8_t* const> parity, const CallOptions& options) {
  if (old_shards.size() != changed.size()) {
    return codec::InvalidField("old_shards", old_shards.size(),
                               absl::StrCat(changed.size(), " shards"));
  }
  if (new_shards.size() != changed.size()) {
    return codec::InvalidField("new_shards", new_shards.size(),
                               absl::StrCat(changed.size(), " shards"));
  }
  if (changed.empty()) return absl::OkStatus();
  std::vector<ShardBytes> shards(old_shards.begin(), old_shards.end());
  shards.insert(shards.end(), new_shards.begin(), new_shards.end());
  return Run({Operation::kUpdate, geometry, changed, {}, shards, shard_bytes, parity}, options);
}

absl::StatusOr<std::vector<uint32_t>> ShardsNeeded(const codec::Geometry& geometry,
                                                   absl::Span<const uint32_t> available,
                                                   absl::Span<const uint32_t> wanted) {
  static auto& codecs = *new codec::CodecCache;
  return codecs.Get(geometry)->ShardsNeeded(available, wanted);
}

}  // namespace parity::client
