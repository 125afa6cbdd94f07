// Shards of a stripe walked side by side.
#ifndef PARITY_CODEC_RUNS_H_
#define PARITY_CODEC_RUNS_H_

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "parity/codec/shard.h"

namespace parity::codec {

// Cuts a stripe into runs within which every shard is contiguous. A shard that has ended goes on as
// zeros.
class RunWalker {
 public:
  explicit RunWalker(absl::Span<const Shard> shards);

  // Moves on to the next run and returns its length: from 1 to `most`, as far as every shard is
  // contiguous. REQUIRES: most > 0.
  size_t Next(size_t most);

  // Where the current run of each shard starts.
  absl::Span<const uint8_t* const> sources() const { return sources_; }

 private:
  struct Cursor {
    Shard later;  // the segments after the current one
    const uint8_t* data = nullptr;
    size_t bytes = 0;  // what is left of the current segment; 0 when the shard has ended
  };

  absl::InlinedVector<Cursor, 16> cursors_;
  absl::InlinedVector<const uint8_t*, 16> sources_;
};

}  // namespace parity::codec

#endif  // PARITY_CODEC_RUNS_H_
