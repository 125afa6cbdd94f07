#include "stripe_encoder.h"

#include "absl/status/status.h"

namespace parity::bench {

StripeEncoder::StripeEncoder(const Job& job, const kernels::KernelTable& table)
    : job_(job),
      codec_(job.geometry),
      batch_(table),
      packed_(job.geometry.data_shards() * job.stripes),
      segments_(job.geometry.data_shards()),
      shards_(job.geometry.data_shards()),
      outputs_(job.geometry.parity_shards()) {
  for (size_t j = 0; j < shards_.size(); ++j) shards_[j] = codec::Shard(&segments_[j], 1);
}

void StripeEncoder::Encode(absl::Span<const uint8_t* const> sources, uint8_t* parity) {
  const size_t k = segments_.size();
  for (size_t stripe = 0; stripe < job_.stripes; ++stripe) {
    for (size_t j = 0; j < k; ++j) segments_[j] = {sources[stripe * k + j], job_.shard_bytes};
    for (uint8_t*& output : outputs_) {
      output = parity;
      parity += job_.shard_bytes;
    }
    // Cannot fail: the geometry is valid, and no output overlaps a source.
    codec_.Encode(shards_, job_.shard_bytes, outputs_, batch_).IgnoreError();
  }
  batch_.Run();
}

void StripeEncoder::EncodePacked(const uint8_t* sources, uint8_t* parity) {
  for (size_t i = 0; i < packed_.size(); ++i) packed_[i] = sources + i * job_.shard_bytes;
  Encode(packed_, parity);
}

}  // namespace parity::bench
