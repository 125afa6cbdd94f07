#include "runs.h"

#include <algorithm>
#include <cassert>

namespace parity::codec {
namespace {

// What a shard that has ended is read from: small enough to stay in L1 with everything else.
constexpr size_t kZeroBytes = 16384;
alignas(64) constexpr uint8_t kZeros[kZeroBytes] = {};

}  // namespace

RunWalker::RunWalker(absl::Span<const Shard> shards)
    : cursors_(shards.size()), sources_(shards.size()) {
  for (size_t i = 0; i < shards.size(); ++i) cursors_[i].later = shards[i];
}

size_t RunWalker::Next(size_t most) {
  assert(most > 0);
  size_t run = most;
  for (size_t i = 0; i < cursors_.size(); ++i) {
    Cursor& cursor = cursors_[i];
    while (cursor.bytes == 0 && !cursor.later.empty()) {
      cursor.data = cursor.later.front().data;
      cursor.bytes = cursor.later.front().bytes;
      cursor.later.remove_prefix(1);
    }
    const bool ended = cursor.bytes == 0;
    sources_[i] = ended ? kZeros : cursor.data;
    run = std::min(run, ended ? kZeroBytes : cursor.bytes);
  }
  for (Cursor& cursor : cursors_) {
    if (cursor.bytes == 0) continue;
    cursor.data += run;
    cursor.bytes -= run;
  }
  return run;
}

}  // namespace parity::codec
