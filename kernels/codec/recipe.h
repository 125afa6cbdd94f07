// How to compute shards from other shards.
#ifndef PARITY_CODEC_RECIPE_H_
#define PARITY_CODEC_RECIPE_H_

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "parity/codec/factors.h"
#include "parity/codec/geometry.h"

namespace parity::codec {

// A set of shards of a stripe.
using ShardMask = std::bitset<Geometry::kMaxShards>;

struct Recipe {
  std::vector<uint32_t> sources;  // shards, ascending; at least one
  // Of the sources for the wanted shards, in ascending order.
  std::shared_ptr<const Factors> factors;
};

// How to compute the shards in `wanted` from those in `present`.
//
// Every shard is a sum of multiples of data shards: a wanted one can be computed if and only if it
// is such a sum of present ones. Of those, all data shards are taken, then parity shards that add
// something to what was taken before: the lowest first or, of a custom matrix, those with the
// fewest factors but 0 first, so that shards are repaired within their group if they have one. What
// no wanted shard depends on then is no source.
//
// FAILED_PRECONDITION, naming `present_field`, if the present shards do not determine all wanted
// ones: if any k shards suffice (see Geometry) it says how many are missing and how many can be,
// else which ones are not determined.
//
// REQUIRES: `wanted` holds at least one shard; no shard is in both. Cost: O(e^2 * k + k * m), e
// being the number of data shards that are not present.
absl::StatusOr<Recipe> MakeRecipe(const Geometry& geometry, const Factors& generator,
                                  const ShardMask& present, const ShardMask& wanted,
                                  std::string_view present_field);

}  // namespace parity::codec

#endif  // PARITY_CODEC_RECIPE_H_
