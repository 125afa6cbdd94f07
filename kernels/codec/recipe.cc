#include "recipe.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "arithmetic.h"
#include "parity/codec/field_error.h"
#include "row_space.h"

namespace parity::codec {
namespace {

absl::Status TooFew(const Geometry& geometry, size_t present, std::string_view field) {
  const uint32_t total = geometry.total_shards();
  return FieldError(absl::StatusCode::kFailedPrecondition, field,
                    absl::StrCat(present, " of ", total, " shards, ", total - present, " missing"),
                    absl::StrCat("at least ", geometry.data_shards(), ", at most ",
                                 geometry.parity_shards(), " missing"));
}

absl::Status Undetermined(const Geometry& geometry, size_t present,
                          const std::vector<uint32_t>& shards, std::string_view field) {
  return FieldError(absl::StatusCode::kFailedPrecondition, field,
                    absl::StrCat(present, " of ", geometry.total_shards(),
                                 " shards, which do not determine ", absl::StrJoin(shards, ", ")),
                    "shards that do");
}

// The shards of the mask from `begin` to before `end`.
std::vector<uint32_t> Members(const ShardMask& mask, uint32_t begin, uint32_t end) {
  std::vector<uint32_t> members;
  for (uint32_t shard = begin; shard < end; ++shard) {
    if (mask[shard]) members.push_back(shard);
  }
  return members;
}

// A stripe some of whose shards are lost. Sources are numbered: first the data shards that are
// left, then the parity shards that were taken.
class Losses {
 public:
  Losses(const Geometry& geometry, const Factors& generator, const ShardMask& present)
      : k_(geometry.data_shards()),
        generator_(generator),
        left_(Members(present, 0, k_)),
        lost_(Members(~present, 0, k_)),
        known_(lost_.size()) {
    std::vector<uint32_t> candidates = Members(present, k_, geometry.total_shards());
    if (geometry.matrix() == Matrix::kCustom) {
      std::stable_sort(candidates.begin(), candidates.end(),
                       [this](uint32_t a, uint32_t b) { return Weight(a) < Weight(b); });
    }
    for (const uint32_t shard : candidates) {
      if (known_.rank() == lost_.size()) break;
      if (known_.Add(OfLost(shard))) taken_.push_back(shard);
    }
  }

  // The shard of each source.
  std::vector<uint32_t> sources() const {
    std::vector<uint32_t> shards = left_;
    shards.insert(shards.end(), taken_.begin(), taken_.end());
    return shards;
  }

  // The factors of the sources for a shard that is not present; unset if they do not determine it.
  std::optional<std::vector<uint8_t>> FactorsFor(uint32_t shard) const {
    // A parity shard that was taken, less what the data that is left put into it, holds a sum of
    // lost shards; what the wanted shard holds of these is a sum of such sums.
    const std::optional<std::vector<uint8_t>> of_taken = known_.Express(OfLost(shard));
    if (!of_taken.has_value()) return std::nullopt;
    std::vector<uint8_t> factors;
    for (const uint32_t j : left_) {
      uint8_t factor = Generates(shard, j);
      for (size_t i = 0; i < taken_.size(); ++i) {
        factor ^= Multiply((*of_taken)[i], Generates(taken_[i], j));
      }
      factors.push_back(factor);
    }
    factors.insert(factors.end(), of_taken->begin(), of_taken->end());
    return factors;
  }

 private:
  // The factor of data shard j in any shard.
  uint8_t Generates(uint32_t shard, uint32_t j) const {
    if (shard < k_) return static_cast<uint8_t>(shard == j);
    return generator_.at(j, shard - k_);
  }

  // How many data shards a parity shard depends on.
  size_t Weight(uint32_t shard) const {
    size_t weight = 0;
    for (uint32_t j = 0; j < k_; ++j) weight += Generates(shard, j) != 0;
    return weight;
  }

  // The factors of the lost data shards in any shard.
  std::vector<uint8_t> OfLost(uint32_t shard) const {
    std::vector<uint8_t> factors;
    for (const uint32_t j : lost_) factors.push_back(Generates(shard, j));
    return factors;
  }

  uint32_t k_;
  const Factors& generator_;
  std::vector<uint32_t> left_;   // data shards
  std::vector<uint32_t> lost_;   // data shards
  std::vector<uint32_t> taken_;  // parity shards
  RowSpace known_;               // OfLost of those taken
};

}  // namespace

absl::StatusOr<Recipe> MakeRecipe(const Geometry& geometry, const Factors& generator,
                                  const ShardMask& present, const ShardMask& wanted,
                                  std::string_view present_field) {
  assert(wanted.any() && (present & wanted).none());
  if (geometry.any_k_suffice() && present.count() < geometry.data_shards()) {
    return TooFew(geometry, present.count(), present_field);
  }
  const Losses losses(geometry, generator, present);
  std::vector<std::vector<uint8_t>> factors;  // by wanted shard, then by source
  std::vector<uint32_t> undetermined;
  for (const uint32_t shard : Members(wanted, 0, geometry.total_shards())) {
    if (std::optional<std::vector<uint8_t>> of_sources = losses.FactorsFor(shard)) {
      factors.push_back(*std::move(of_sources));
    } else {
      undetermined.push_back(shard);
    }
  }
  if (!undetermined.empty()) {
    return Undetermined(geometry, present.count(), undetermined, present_field);
  }

  struct Source {
    uint32_t shard;
    size_t place;
  };
  std::vector<Source> sources;
  const std::vector<uint32_t> shards = losses.sources();
  for (size_t place = 0; place < shards.size(); ++place) {
    const bool is_used = std::any_of(factors.begin(), factors.end(),
                                     [&](const auto& row) { return row[place] != 0; });
    if (is_used) sources.push_back({shards[place], place});
  }
  std::sort(sources.begin(), sources.end(),
            [](const Source& a, const Source& b) { return a.shard < b.shard; });

  Recipe recipe;
  std::vector<uint8_t> source_major;
  for (const Source& source : sources) {
    recipe.sources.push_back(source.shard);
    for (const std::vector<uint8_t>& row : factors) source_major.push_back(row[source.place]);
  }
  recipe.factors = std::make_shared<const Factors>(sources.size(), factors.size(), source_major);
  return recipe;
}

}  // namespace parity::codec
