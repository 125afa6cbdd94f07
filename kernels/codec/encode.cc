#include "checks.h"
#include "parity/codec/codec.h"
#include "plan.h"

namespace parity::codec {

absl::Status Codec::Encode(absl::Span<const Shard> data, size_t shard_bytes,
                           absl::Span<uint8_t* const> parity, Batch& batch) const {
  absl::Status status = CheckCount("shards", data.size(), geometry_.data_shards());
  if (status.ok()) status = CheckLengths("shards", data, shard_bytes);
  if (status.ok()) status = CheckCount("parity", parity.size(), geometry_.parity_shards());
  if (status.ok()) status = CheckDistinct("parity", parity, shard_bytes);
  if (status.ok()) {
    status = CheckOverlap("parity", parity, "shards", data, shard_bytes, Sharing::kWhole);
  }
  if (!status.ok()) return status;
  PlanGenerate(data, shard_bytes, parity, generator_, batch);
  return absl::OkStatus();
}

}  // namespace parity::codec
