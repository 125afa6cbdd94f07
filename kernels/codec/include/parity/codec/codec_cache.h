// The codecs used last, for callers that get a geometry with every stripe.
#ifndef PARITY_CODEC_CODEC_CACHE_H_
#define PARITY_CODEC_CODEC_CACHE_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "parity/codec/codec.h"
#include "parity/codec/geometry.h"

namespace parity::codec {

// Thread-safe. Holds kMaxCodecs at most, each with what it has learnt (see Codec::Reconstruct), and
// drops the one not used for the longest time.
class CodecCache {
 public:
  static constexpr size_t kMaxCodecs = 8;

  // The codec of the geometry: kept or made. Cost: compares geometries, custom generators byte by
  // byte.
  std::shared_ptr<const Codec> Get(const Geometry& geometry);

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<const Codec>> codecs_;  // last used first
};

}  // namespace parity::codec

#endif  // PARITY_CODEC_CODEC_CACHE_H_
