#include "parity/region/region_shards.h"

#include <algorithm>

namespace parity::region {
namespace {

using shm::Outcome;

// Sorts ranges by where they begin, which those of packed shards are.
template <class Ranges>
void Sort(Ranges& ranges) {
  const auto before = [](const auto& a, const auto& b) { return a.begin < b.begin; };
  if (!std::is_sorted(ranges.begin(), ranges.end(), before)) {
    std::sort(ranges.begin(), ranges.end(), before);
  }
}

}  // namespace

Fault RegionShards::Find(const Region& region, const Places& places) {
  const uint64_t shards = places.sources.size() + places.outputs.size();
  if (places.shard_bytes == 0 || shards == 0 || places.shard_bytes > region.bytes() / shards) {
    return {Outcome::kBadShardBytes, 0};
  }
  outputs_.clear();
  written_.clear();
  Fault fault = FindSources(region, places);
  if (fault.ok()) fault = FindOutputs(region, places);
  if (fault.ok()) fault = CheckOverlap();
  return fault;
}

// The elements are written field by field: made elsewhere and then copied in, as push_back does it,
// they would be read in wider pieces than they were just written in, for which a CPU waits.
Fault RegionShards::FindSources(const Region& region, const Places& places) {
  const size_t count = places.sources.size();
  const size_t per_stripe = count / places.stripes;
  segments_.resize(count);
  sources_.resize(count);
  read_.resize(count);
  size_t read = 0;
  size_t in_stripe = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const bool updated = in_stripe >= per_stripe - places.updated_per_stripe;
    if (++in_stripe == per_stripe) in_stripe = 0;
    uint64_t bytes = places.shard_bytes;
    if (!places.lengths.empty()) {
      bytes = places.lengths[i];
      if (bytes > places.shard_bytes || (updated && bytes < places.shard_bytes)) {
        return {Outcome::kBadLength, i};
      }
    }
    uint8_t* const data = region.Find(places.sources[i], bytes);
    if (data == nullptr) return {Outcome::kOutsideRegion, i};
    segments_[i].data = data;
    segments_[i].bytes = bytes;
    sources_[i] = codec::Shard(&segments_[i], bytes == 0 ? 0 : 1);
    if (updated) {
      AddOutput(data, bytes, i);
    } else if (bytes > 0) {
      Range& range = read_[read++];
      range.begin = data;
      range.end = data + bytes;
      range.place = i;
    }
  }
  read_.resize(read);
  return {};
}

void RegionShards::AddOutput(uint8_t* data, uint64_t bytes, uint32_t place) {
  outputs_.push_back(data);
  Range& range = written_.emplace_back();
  range.begin = data;
  range.end = data + bytes;
  range.place = place;
}

Fault RegionShards::FindOutputs(const Region& region, const Places& places) {
  auto place = static_cast<uint32_t>(places.sources.size());
  for (const uint64_t offset : places.outputs) {
    uint8_t* const data = region.Find(offset, places.shard_bytes);
    if (data == nullptr) return {Outcome::kOutsideRegion, place};
    AddOutput(data, places.shard_bytes, place);
    ++place;
  }
  return {};
}

Fault RegionShards::CheckOverlap() {
  Sort(written_);
  Sort(read_);
  for (size_t i = 1; i < written_.size(); ++i) {
    if (written_[i].begin < written_[i - 1].end) return {Outcome::kOverlap, written_[i].place};
  }
  // Sources may overlap each other, so those that begin before an output's end are looked at by the
  // furthest of their ends.
  auto source = read_.begin();
  const uint8_t* furthest = nullptr;
  for (const Range& output : written_) {
    for (; source != read_.end() && source->begin < output.end; ++source) {
      furthest = std::max(furthest, source->end);
    }
    if (furthest != nullptr && furthest > output.begin) return {Outcome::kOverlap, output.place};
  }
  return {};
}

}  // namespace parity::region
