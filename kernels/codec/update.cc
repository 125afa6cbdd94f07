#include <algorithm>
#include <memory>
#include <vector>

#include "checks.h"
#include "parity/codec/codec.h"
#include "plan.h"

namespace parity::codec {
namespace {

// The parity shards that depend on any of these data shards.
std::vector<size_t> Dependents(const Factors& generator, absl::Span<const uint32_t> shards) {
  std::vector<size_t> dependents;
  for (size_t r = 0; r < generator.outputs(); ++r) {
    const bool depends = std::any_of(shards.begin(), shards.end(),
                                     [&](uint32_t shard) { return generator.at(shard, r) != 0; });
    if (depends) dependents.push_back(r);
  }
  return dependents;
}

}  // namespace

absl::Status Codec::Update(absl::Span<const uint32_t> changed, absl::Span<const Shard> old_shards,
                           absl::Span<const Shard> new_shards, size_t shard_bytes,
                           absl::Span<uint8_t* const> parity, Batch& batch) const {
  absl::Status status = CheckIndices("changed", changed, geometry_.data_shards()).status();
  if (status.ok()) status = CheckCount("old_shards", old_shards.size(), changed.size());
  if (status.ok()) status = CheckCount("new_shards", new_shards.size(), changed.size());
  if (status.ok()) status = CheckLengths("old_shards", old_shards, shard_bytes);
  if (status.ok()) status = CheckLengths("new_shards", new_shards, shard_bytes);
  if (status.ok()) status = CheckCount("parity", parity.size(), geometry_.parity_shards());
  if (status.ok()) status = CheckDistinct("parity", parity, shard_bytes);
  if (status.ok()) {
    status = CheckOverlap("parity", parity, "old_shards", old_shards, shard_bytes, Sharing::kNone);
  }
  if (status.ok()) {
    status = CheckOverlap("parity", parity, "new_shards", new_shards, shard_bytes, Sharing::kNone);
  }
  if (!status.ok()) return status;

  if (changed.empty()) return absl::OkStatus();

  const std::vector<size_t> dependents = Dependents(*generator_, changed);
  std::vector<uint8_t*> outputs;
  for (const size_t r : dependents) outputs.push_back(parity[r]);
  std::vector<uint8_t> factors;
  for (const uint32_t shard : changed) {
    for (const size_t r : dependents) factors.push_back(generator_->at(shard, r));
  }
  PlanUpdate(old_shards, new_shards, shard_bytes, outputs,
             std::make_shared<const Factors>(changed.size(), outputs.size(), factors), batch);
  return absl::OkStatus();
}

}  // namespace parity::codec
