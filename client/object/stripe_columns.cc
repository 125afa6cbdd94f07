#include "stripe_columns.h"

#include <algorithm>
#include <utility>

namespace parity::client {

StripeColumns::StripeColumns(uint32_t total_shards, uint32_t cell_bytes, uint32_t begin,
                             uint32_t end)
    : wanted_(total_shards), there_(total_shards) {
  const uint32_t first = begin / cell_bytes;
  const uint32_t last = (end - 1) / cell_bytes;
  const uint32_t first_column = begin - first * cell_bytes;
  const uint32_t end_column = end - last * cell_bytes;
  if (first == last) {
    bounds_ = {first_column, end_column};
  } else {
    bounds_ = {0, first_column, end_column, cell_bytes};
    std::sort(bounds_.begin(), bounds_.end());
    bounds_.erase(std::unique(bounds_.begin(), bounds_.end()), bounds_.end());
  }
  for (uint32_t shard = first; shard <= last; ++shard) {
    wanted_[shard] = PartsIn({shard == first ? first_column : bounds_.front(),
                              shard == last ? end_column : bounds_.back()});
  }
}

std::vector<StripeColumns::Range> StripeColumns::WantedAndMissing(uint32_t shard) const {
  return Runs(wanted_[shard] & ~there_[shard]);
}

std::vector<StripeColumns::Range> StripeColumns::Missing(uint32_t shard, Range columns) const {
  return Runs(PartsIn(columns) & ~there_[shard]);
}

std::optional<StripeColumns::Lost> StripeColumns::FirstLost() const {
  std::optional<Lost> lost;
  for (size_t part = 0; part < parts(); ++part) {
    std::vector<uint32_t> shards;
    for (uint32_t shard = 0; shard < wanted_.size(); ++shard) {
      if ((wanted_[shard] & ~there_[shard] & (1 << part)) != 0) shards.push_back(shard);
    }
    if (lost.has_value() && shards == lost->shards) {
      lost->columns.end = bounds_[part + 1];
    } else if (lost.has_value()) {
      break;
    } else if (!shards.empty()) {
      lost = Lost{{bounds_[part], bounds_[part + 1]}, std::move(shards)};
    }
  }
  return lost;
}

void StripeColumns::Add(uint32_t shard, Range columns) { there_[shard] |= PartsIn(columns); }

StripeColumns::Parts StripeColumns::PartsIn(Range columns) const {
  Parts in = 0;
  for (size_t part = 0; part < parts(); ++part) {
    if (columns.begin <= bounds_[part] && bounds_[part + 1] <= columns.end) in |= 1 << part;
  }
  return in;
}

std::vector<StripeColumns::Range> StripeColumns::Runs(Parts runs_of) const {
  std::vector<Range> runs;
  for (size_t part = 0; part < parts(); ++part) {
    if ((runs_of & (1 << part)) == 0) continue;
    if (!runs.empty() && runs.back().end == bounds_[part]) {
      runs.back().end = bounds_[part + 1];
    } else {
      runs.push_back({bounds_[part], bounds_[part + 1]});
    }
  }
  return runs;
}

}  // namespace parity::client
