// Parity of stripes, wherever it is computed.
//
// Key decision: one interface for a client of servers, one connection to a server and this
// process's own kernels (client.h, connection.h, local_coder.h), so that a program is written once.
#ifndef PARITY_CLIENT_CODER_H_
#define PARITY_CLIENT_CODER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "parity/client/call_options.h"
#include "parity/client/request.h"
#include "parity/codec/codec.h"
#include "parity/codec/geometry.h"

namespace parity::client {

// Thread-safe. All memory stays the caller's; it is used during the call only, and inputs are not
// copied. An output overlaps neither another nor an input, but that it may be an input as a whole,
// whose place it takes; not in Update. Inputs shorter than shard_bytes count as followed by zeros.
//
// Errors of bad arguments are INVALID_ARGUMENT and name the field (codec::FieldOf). After any error
// the contents of the outputs are unspecified: never use them.
class Coder {
 public:
  virtual ~Coder() = default;

  // parity[r][0..shard_bytes) = parity shard k+r of the k shards in `data`.
  absl::Status Encode(const codec::Geometry& geometry, absl::Span<const ShardBytes> data,
                      size_t shard_bytes, absl::Span<uint8_t* const> parity,
                      const CallOptions& options = {});

  // out[i][0..shard_bytes) = shard wanted[i], from `shards`, of which shards[i] is shard
  // present[i]. FAILED_PRECONDITION if these do not determine the wanted ones: if fewer than k
  // are present or, with some matrices (see codec::Geometry), certain others. ShardsNeeded tells
  // which suffice.
  absl::Status Reconstruct(const codec::Geometry& geometry, absl::Span<const uint32_t> present,
                           absl::Span<const ShardBytes> shards, size_t shard_bytes,
                           absl::Span<const uint32_t> wanted, absl::Span<uint8_t* const> out,
                           const CallOptions& options = {});

  // Whether the k+m shards of a stripe belong together; if not, where they do not.
  absl::StatusOr<codec::VerifyReport> Verify(const codec::Geometry& geometry,
                                             absl::Span<const ShardBytes> shards,
                                             size_t shard_bytes, const CallOptions& options = {});

  // Brings the m parity shards up to date, in place, where data shards have changed: old_shards[i]
  // and new_shards[i] are the contents of data shard changed[i] before and after, parity[r] is
  // parity shard k+r before. All are the same range of bytes of the stripe. Less is read and sent
  // than by Encode if fewer than about half of the data shards have changed. After an error the
  // parity is as it was or unspecified: encode anew.
  absl::Status Update(const codec::Geometry& geometry, absl::Span<const uint32_t> changed,
                      absl::Span<const ShardBytes> old_shards,
                      absl::Span<const ShardBytes> new_shards, size_t shard_bytes,
                      absl::Span<uint8_t* const> parity, const CallOptions& options = {});

  // Any of the above.
  virtual absl::Status Run(const Request& request, const CallOptions& options) = 0;
};

// Which of the available shards are to be read to compute those wanted: what codec::Codec says,
// which has the errors. Asks no server.
absl::StatusOr<std::vector<uint32_t>> ShardsNeeded(const codec::Geometry& geometry,
                                                   absl::Span<const uint32_t> available,
                                                   absl::Span<const uint32_t> wanted);

}  // namespace parity::client

#endif  // PARITY_CLIENT_CODER_H_
