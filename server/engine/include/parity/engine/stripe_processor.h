// What one worker does with the stripes that reach it.
//
// Key decision: requests are planned one by one and computed together: every request that is ready
// adds its kernel jobs, then Run() enters the kernels once for all of them.
#ifndef PARITY_ENGINE_STRIPE_PROCESSOR_H_
#define PARITY_ENGINE_STRIPE_PROCESSOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "parity/codec/batch.h"
#include "parity/codec/codec.h"
#include "parity/codec/codec_cache.h"
#include "parity/codec/geometry.h"
#include "parity/codec/shard.h"
#include "parity/engine/buffer_pool.h"
#include "parity/kernels/kernel_table.h"

namespace parity::engine {

// Shards computed by the server, back to back: shard i is data() + i * shard_bytes.
struct ComputedShards {
  Buffer buffer;
  size_t shard_bytes;
  uint32_t count;
};

// Not thread-safe: each worker has its own. Errors are those of codec::Codec, and
// RESOURCE_EXHAUSTED if there is no memory for the result.
class StripeProcessor {
 public:
  StripeProcessor(const kernels::KernelTable& table, std::shared_ptr<BufferPool> pool);

  // Queue the computation. The result holds unspecified bytes until Run(), and the shards' memory
  // must stay valid until then.
  absl::StatusOr<ComputedShards> Encode(const codec::Geometry& geometry,
                                        absl::Span<const codec::Shard> data, size_t shard_bytes);
  absl::StatusOr<ComputedShards> Reconstruct(const codec::Geometry& geometry,
                                             absl::Span<const uint32_t> present,
                                             absl::Span<const codec::Shard> shards,
                                             size_t shard_bytes, absl::Span<const uint32_t> wanted);
  // Computes everything queued.
  void Run() { batch_.Run(); }

  // Verifies at once; a result is nothing that could be sent by reference.
  absl::StatusOr<codec::VerifyReport> Verify(const codec::Geometry& geometry,
                                             absl::Span<const codec::Shard> shards,
                                             size_t shard_bytes);

 private:
  absl::StatusOr<ComputedShards> Allocate(size_t shard_bytes, size_t count);

  const kernels::KernelTable& table_;
  const std::shared_ptr<BufferPool> pool_;
  codec::CodecCache codecs_;
  codec::Batch batch_;
};

}  // namespace parity::engine

#endif  // PARITY_ENGINE_STRIPE_PROCESSOR_H_
