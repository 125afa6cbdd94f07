// The generator matrices, as factors.
#ifndef PARITY_CODEC_GENERATOR_H_
#define PARITY_CODEC_GENERATOR_H_

#include <memory>

#include "parity/codec/factors.h"
#include "parity/codec/geometry.h"

namespace parity::codec {

// The factors of the k data shards for the m parity shards. Cost: O(k * (k + m)).
std::shared_ptr<const Factors> GeneratorOf(const Geometry& geometry);

}  // namespace parity::codec

#endif  // PARITY_CODEC_GENERATOR_H_
