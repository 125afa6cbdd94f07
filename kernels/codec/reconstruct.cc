#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "checks.h"
#include "parity/codec/codec.h"
#include "plan.h"
#include "recipe_cache.h"

namespace parity::codec {
namespace {

// From the cache or made for it. See MakeRecipe.
absl::StatusOr<std::shared_ptr<const Recipe>> RecipeFor(
    const Geometry& geometry, const Factors& generator, const ShardMask& present,
    const ShardMask& wanted, std::string_view present_field, RecipeCache& cache) {
  const RecipeCache::Key key = {present, wanted};
  if (std::shared_ptr<const Recipe> recipe = cache.Find(key)) return recipe;
  absl::StatusOr<Recipe> made = MakeRecipe(geometry, generator, present, wanted, present_field);
  if (!made.ok()) return made.status();
  auto recipe = std::make_shared<const Recipe>(*std::move(made));
  cache.Add(key, recipe);
  return recipe;
}

}  // namespace

absl::Status Codec::Reconstruct(absl::Span<const uint32_t> present, absl::Span<const Shard> shards,
                                size_t shard_bytes, absl::Span<const uint32_t> wanted,
                                absl::Span<uint8_t* const> out, Batch& batch) const {
  const uint32_t total = geometry_.total_shards();
  const absl::StatusOr<ShardMask> is_present = CheckIndices("present", present, total);
  if (!is_present.ok()) return is_present.status();
  absl::Status status = CheckCount("shards", shards.size(), present.size());
  if (status.ok()) status = CheckLengths("shards", shards, shard_bytes);
  if (!status.ok()) return status;
  const absl::StatusOr<ShardMask> is_wanted = CheckWanted(wanted, total, *is_present);
  if (!is_wanted.ok()) return is_wanted.status();
  status = CheckCount("out", out.size(), wanted.size());
  if (status.ok()) status = CheckDistinct("out", out, shard_bytes);
  if (status.ok()) {
    status = CheckOverlap("out", out, "shards", shards, shard_bytes, Sharing::kWhole);
  }
  if (!status.ok()) return status;
  if (wanted.empty()) return absl::OkStatus();

  const absl::StatusOr<std::shared_ptr<const Recipe>> recipe =
      RecipeFor(geometry_, *generator_, *is_present, *is_wanted, "present", *recipes_);
  if (!recipe.ok()) return recipe.status();
  std::array<Shard, Geometry::kMaxShards> present_shards;  // by index
  for (size_t i = 0; i < present.size(); ++i) present_shards[present[i]] = shards[i];
  absl::InlinedVector<Shard, 16> sources;
  for (const uint32_t shard : (*recipe)->sources) sources.push_back(present_shards[shard]);
  std::array<uint8_t*, Geometry::kMaxShards> wanted_out;  // by index
  for (size_t i = 0; i < wanted.size(); ++i) wanted_out[wanted[i]] = out[i];
  absl::InlinedVector<uint8_t*, 16> outputs;
  for (uint32_t shard = 0; shard < total; ++shard) {
    if ((*is_wanted)[shard]) outputs.push_back(wanted_out[shard]);
  }
  PlanGenerate(sources, shard_bytes, outputs, (*recipe)->factors, batch);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<uint32_t>> Codec::ShardsNeeded(absl::Span<const uint32_t> available,
                                                          absl::Span<const uint32_t> wanted) const {
  const uint32_t total = geometry_.total_shards();
  const absl::StatusOr<ShardMask> is_available = CheckIndices("available", available, total);
  if (!is_available.ok()) return is_available.status();
  const absl::StatusOr<ShardMask> is_wanted = CheckWanted(wanted, total, *is_available);
  if (!is_wanted.ok()) return is_wanted.status();
  if (wanted.empty()) return std::vector<uint32_t>();
  const absl::StatusOr<std::shared_ptr<const Recipe>> recipe =
      RecipeFor(geometry_, *generator_, *is_available, *is_wanted, "available", *recipes_);
  if (!recipe.ok()) return recipe.status();
  return (*recipe)->sources;
}

}  // namespace parity::codec
