// Parity of stripes, wherever it is computed.
//
// Key decision: one interface with two implementations, a server's and this process's own kernels
// (remote_coder.h, local_coder.h), so that a program is written once and falls back by choosing.
#ifndef PARITY_CLIENT_CODER_H_
#define PARITY_CLIENT_CODER_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "parity/codec/codec.h"
#include "parity/codec/geometry.h"

namespace parity::client {

// A shard in the caller's memory. One shorter than the stripe counts as followed by zeros.
using ShardBytes = absl::Span<const uint8_t>;

// Thread-safe. All memory stays the caller's; it is used during the call only, and inputs are not
// copied. An output must not overlap an input or another output.
//
// Errors of bad arguments are INVALID_ARGUMENT and name the field (codec::FieldOf). After any error
// the contents of the outputs are unspecified: never use them.
class Coder {
 public:
  virtual ~Coder() = default;

  // parity[r][0..shard_bytes) = parity shard k+r of the k shards in `data`.
  virtual absl::Status Encode(const codec::Geometry& geometry, absl::Span<const ShardBytes> data,
                              size_t shard_bytes, absl::Span<uint8_t* const> parity) = 0;

  // out[i][0..shard_bytes) = shard wanted[i], from `shards`, of which shards[i] is shard
  // present[i]. FAILED_PRECONDITION if these do not determine the wanted ones: if fewer than k
  // are present or, with some matrices (see codec::Geometry), certain others.
  virtual absl::Status Reconstruct(const codec::Geometry& geometry,
                                   absl::Span<const uint32_t> present,
                                   absl::Span<const ShardBytes> shards, size_t shard_bytes,
                                   absl::Span<const uint32_t> wanted,
                                   absl::Span<uint8_t* const> out) = 0;

  // Whether the k+m shards of a stripe belong together; if not, where they do not.
  virtual absl::StatusOr<codec::VerifyReport> Verify(const codec::Geometry& geometry,
                                                     absl::Span<const ShardBytes> shards,
                                                     size_t shard_bytes) = 0;

  // Brings the m parity shards up to date, in place, where data shards have changed: old_shards[i]
  // and new_shards[i] are the contents of data shard changed[i] before and after, parity[r] is
  // parity shard k+r before. All are the same range of bytes of the stripe. Less is read and sent
  // than by Encode if fewer than about half of the data shards have changed.
  virtual absl::Status Update(const codec::Geometry& geometry, absl::Span<const uint32_t> changed,
                              absl::Span<const ShardBytes> old_shards,
                              absl::Span<const ShardBytes> new_shards, size_t shard_bytes,
                              absl::Span<uint8_t* const> parity) = 0;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_CODER_H_
