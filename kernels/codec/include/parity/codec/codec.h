// Encodes, reconstructs and verifies stripes of one geometry.
#ifndef PARITY_CODEC_CODEC_H_
#define PARITY_CODEC_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "parity/codec/batch.h"
#include "parity/codec/geometry.h"
#include "parity/codec/shard.h"
#include "parity/kernels/kernel_table.h"

namespace parity::codec {

// Where a stripe's parity does not match its data.
struct VerifyReport {
  struct Mismatch {
    uint32_t shard;   // index of the parity shard that differs from what the data gives
    uint64_t offset;  // first byte of the shard that differs
  };
  std::vector<Mismatch> mismatches;  // by shard; empty: the stripe is consistent
  // The one shard, data or parity, whose corruption alone explains the differences at the lowest
  // differing offset. Unset if the stripe is consistent, if there is only one parity shard (nothing
  // can tell the shards apart) or if more than one shard must be wrong.
  std::optional<uint32_t> suspect;

  bool consistent() const { return mismatches.empty(); }
  // REQUIRES: !consistent(). The lowest differing offset of all parity shards.
  uint64_t first_offset() const;
};

// Immutable and thread-safe. Shards are lists of segments; those shorter than shard_bytes count as
// followed by zeros. Lengths have no upper bound but 2^40.
//
// Every function is INVALID_ARGUMENT, naming the field ("shards", "shards[3]", "present[1]",
// "wanted[0]", ...), if the number of shards is not the one wanted, a shard is longer than
// shard_bytes, or an output overlaps a shard or another output in part; an output may equal a
// single-segment shard exactly. Then nothing is queued and nothing is written.
class Codec {
 public:
  explicit Codec(const Geometry& geometry);

  const Geometry& geometry() const { return geometry_; }

  // Queues in `batch`: parity[r][0..shard_bytes) = parity shard k+r, for the k shards in `data`.
  absl::Status Encode(absl::Span<const Shard> data, size_t shard_bytes,
                      absl::Span<uint8_t* const> parity, Batch& batch) const;

  // Queues in `batch`: out[i][0..shard_bytes) = shard wanted[i], computed from `shards`, of which
  // shards[i] is shard present[i]. Any k present shards will do; those beyond k are not read.
  // Also INVALID_ARGUMENT for an index that is out of range or named twice, and for a wanted shard
  // that is present; FAILED_PRECONDITION, saying how many are missing and how many can be, if fewer
  // than k shards are present.
  //
  // Cost: inverts an e x e matrix once per call, e being the number of lost data shards.
  absl::Status Reconstruct(absl::Span<const uint32_t> present, absl::Span<const Shard> shards,
                           size_t shard_bytes, absl::Span<const uint32_t> wanted,
                           absl::Span<uint8_t* const> out, Batch& batch) const;

  // Computes the parity of shards 0..k-1 with `table`, a cache-sized piece at a time, and compares
  // it with shards k..k+m-1.
  absl::StatusOr<VerifyReport> Verify(absl::Span<const Shard> shards, size_t shard_bytes,
                                      const kernels::KernelTable& table) const;

 private:
  Geometry geometry_;
  std::shared_ptr<const Coefficients> generator_;  // k sources, m outputs
};

}  // namespace parity::codec

#endif  // PARITY_CODEC_CODEC_H_
