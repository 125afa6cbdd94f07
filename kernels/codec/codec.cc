#include "parity/codec/codec.h"

#include "generator.h"
#include "recipe_cache.h"

namespace parity::codec {

Codec::Codec(const Geometry& geometry)
    : geometry_(geometry),
      generator_(GeneratorOf(geometry)),
      recipes_(std::make_shared<RecipeCache>()) {}

}  // namespace parity::codec
