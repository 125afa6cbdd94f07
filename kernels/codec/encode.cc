#include "checks.h"
#include "parity/codec/codec.h"
#include "parity/kernels/tuning.h"
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

bool Codec::TryEncode(absl::Span<const uint8_t* const> data, size_t shard_bytes,
                      absl::Span<uint8_t* const> parity, const kernels::KernelTable& table) const {
  const bool fits = data.size() == geometry_.data_shards() &&
                    parity.size() == geometry_.parity_shards() && shard_bytes > 0 &&
                    shard_bytes <= kMaxShardBytes;
  if (!fits || !AreApart(parity, data, shard_bytes)) return false;
  const kernels::Tuning& tuning = kernels::HostTuning();
  switch (generator_->kernel()) {
    case Kernel::kXor: {
      const kernels::XorJob job = {parity[0], data.data(), data.size(), shard_bytes};
      table.xor_generate(&job, 1, tuning);
      break;
    }
    case Kernel::kPq: {
      const kernels::PqJob job = {parity[0], parity[1], data.data(), data.size(), shard_bytes};
      table.pq_generate(&job, 1, tuning);
      break;
    }
    case Kernel::kMatrix: {
      const kernels::GfMatrixJob job = {parity.data(), data.data(),   generator_->source_major(),
                                        data.size(),   parity.size(), shard_bytes};
      table.gf_matrix(&job, 1, tuning);
      break;
    }
  }
  return true;
}

}  // namespace parity::codec
