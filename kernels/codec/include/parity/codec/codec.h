// Encodes, reconstructs, updates and verifies stripes of one geometry.
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
#include "parity/codec/factors.h"
#include "parity/codec/geometry.h"
#include "parity/codec/shard.h"
#include "parity/kernels/kernel_table.h"

namespace parity::codec {

class RecipeCache;

// Where a stripe's parity does not match its data.
struct VerifyReport {
  struct Mismatch {
    uint32_t shard;   // index of the parity shard that differs from what the data gives
    uint64_t offset;  // first byte of the shard that differs
  };
  std::vector<Mismatch> mismatches;  // by shard; empty: the stripe is consistent
  // The one shard, data or parity, whose corruption alone explains the differences at the lowest
  // differing offset. Unset if there is no such shard, or more than one: with one parity shard
  // nothing can tell the shards apart.
  std::optional<uint32_t> suspect;

  bool consistent() const { return mismatches.empty(); }
  // REQUIRES: !consistent(). The lowest differing offset of all parity shards.
  uint64_t first_offset() const;
};

// Thread-safe; copies share what they learn. Shards are lists of segments; those shorter than
// shard_bytes count as followed by zeros. Lengths have no upper bound but 2^40.
//
// Every function is INVALID_ARGUMENT, naming the field ("shards", "shards[3]", "present[1]",
// "wanted[0]", ...), if the number of shards is not the one wanted, an index is out of range or
// named twice, a shard is longer than shard_bytes, or an output overlaps a shard or another output
// in part; an output may equal a single-segment shard exactly, except in Update. Then nothing is
// queued and nothing is written.
//
// What is queued is computed by Batch::Run(), in no particular order: no operation may read or
// write what another one in the same batch writes.
class Codec {
 public:
  // Cost: O(k * (k + m)). CodecCache has codecs that are there already.
  explicit Codec(const Geometry& geometry);

  const Geometry& geometry() const { return geometry_; }

  // Queues in `batch`: parity[r][0..shard_bytes) = parity shard k+r, for the k shards in `data`.
  absl::Status Encode(absl::Span<const Shard> data, size_t shard_bytes,
                      absl::Span<uint8_t* const> parity, Batch& batch) const;

  // The same at once, for data shards that are whole and lie in one piece each: it takes some 30 ns
  // besides the kernel. False, with nothing done, if Encode would not do it, or an output is a
  // shard or overlaps one: Encode does that, or says what is wrong.
  bool TryEncode(absl::Span<const uint8_t* const> data, size_t shard_bytes,
                 absl::Span<uint8_t* const> parity, const kernels::KernelTable& table) const;

  // Queues in `batch`: out[i][0..shard_bytes) = shard wanted[i], computed from `shards`, of which
  // shards[i] is shard present[i]. Reads those that ShardsNeeded names, no others.
  //
  // Also INVALID_ARGUMENT for a wanted shard that is present. FAILED_PRECONDITION, naming
  // "present", if the present shards do not determine all wanted ones. Where any k shards suffice
  // (see Geometry), that is if and only if fewer than k are present, and the message says how many
  // are missing and how many can be; else it names the shards that are not determined.
  //
  // Cost: solves e equations, e being the number of data shards that are not present, the first
  // time that shards are wanted of those present; the last 64 solutions are kept, 1 MiB at most.
  absl::Status Reconstruct(absl::Span<const uint32_t> present, absl::Span<const Shard> shards,
                           size_t shard_bytes, absl::Span<const uint32_t> wanted,
                           absl::Span<uint8_t* const> out, Batch& batch) const;

  // Which of the available shards are to be read to compute those in `wanted`, ascending. If
  // Reconstruct can compute them from all the available shards, it can from these alone.
  //
  // Where any k shards suffice these are k: data shards before parity shards, low indices before
  // high ones. For other matrices, a parity shard is taken only if the wanted shards depend on it
  // beyond what is taken before it, and those of a custom matrix that depend on the fewest data
  // shards come first: one lost shard of a local group takes the rest of its group. That is not
  // always the smallest set there is, which would be too costly to find.
  //
  // Errors and cost are those of Reconstruct, with "available" for "present".
  absl::StatusOr<std::vector<uint32_t>> ShardsNeeded(absl::Span<const uint32_t> available,
                                                     absl::Span<const uint32_t> wanted) const;

  // Queues in `batch`: brings the m parity shards up to date, in place, where data shards have
  // changed. The four spans of memory are of the same range of bytes of the stripe, shard_bytes
  // long: parity[r] as it was before, old_shards[i] and new_shards[i] the contents of data shard
  // changed[i] before and after. Data shards that did not change are not needed.
  //
  // If the parity did not match the old contents, it will be off by as much afterwards.
  //
  // Also INVALID_ARGUMENT if parity overlaps an old or new shard at all. Cost: reads two sources
  // for every changed shard; from about k/2 changed shards on, Encode is faster.
  absl::Status Update(absl::Span<const uint32_t> changed, absl::Span<const Shard> old_shards,
                      absl::Span<const Shard> new_shards, size_t shard_bytes,
                      absl::Span<uint8_t* const> parity, Batch& batch) const;

  // Compares shards k..k+m-1 with what shards 0..k-1 give, by `table`. Nothing is written, and
  // nothing is read far beyond the offset by which every parity shard has been found to differ.
  absl::StatusOr<VerifyReport> Verify(absl::Span<const Shard> shards, size_t shard_bytes,
                                      const kernels::KernelTable& table) const;

 private:
  Geometry geometry_;
  std::shared_ptr<const Factors> generator_;  // of the k data shards for the m parity shards
  std::shared_ptr<RecipeCache> recipes_;
};

}  // namespace parity::codec

#endif  // PARITY_CODEC_CODEC_H_
