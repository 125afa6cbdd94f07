// A shard as it lies in memory.
#ifndef PARITY_CODEC_SHARD_H_
#define PARITY_CODEC_SHARD_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace parity::codec {

// A run of bytes that belongs to somebody else.
struct Segment {
  const uint8_t* data;
  size_t bytes;
};

// One shard: its segments, back to back. A message that arrives in pieces is used where it lies. A
// shard shorter than its stripe counts as followed by zeros; one with no segments is all zeros.
using Shard = absl::Span<const Segment>;

// The sum of the segments' lengths; the largest size_t if that is too small for it.
size_t BytesIn(Shard shard);

}  // namespace parity::codec

#endif  // PARITY_CODEC_SHARD_H_
