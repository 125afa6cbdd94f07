#include "parity/codec/shard.h"

#include <algorithm>
#include <limits>

namespace parity::codec {

size_t BytesIn(Shard shard) {
  size_t bytes = 0;
  for (const Segment& segment : shard) {
    bytes += std::min(segment.bytes, std::numeric_limits<size_t>::max() - bytes);
  }
  return bytes;
}

}  // namespace parity::codec
