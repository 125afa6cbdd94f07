#include "parity/codec/codec_cache.h"

#include <algorithm>
#include <iterator>

namespace parity::codec {

std::shared_ptr<const Codec> CodecCache::Get(const Geometry& geometry) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto found = std::find_if(codecs_.begin(), codecs_.end(),
                            [&](const auto& codec) { return codec->geometry() == geometry; });
  if (found == codecs_.end()) {
    if (codecs_.size() == kMaxCodecs) codecs_.pop_back();
    codecs_.push_back(std::make_shared<const Codec>(geometry));
    found = std::prev(codecs_.end());
  }
  std::rotate(codecs_.begin(), found, found + 1);
  return codecs_.front();
}

}  // namespace parity::codec
