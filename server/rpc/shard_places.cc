#include "shard_places.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "parity/codec/field_error.h"
#include "parity/shm/layout.h"

namespace parity::rpc {
namespace {

using codec::InvalidField;
using engine::Operation;
using region::Fault;
using region::RegionShards;
using shm::Outcome;

// An error that names the field and the values that the fault is about.
absl::Status ErrorOf(const Fault& fault, const region::Region& region,
                     const RegionShards::Places& places) {
  const size_t sources = places.sources.size();
  const bool is_source = fault.detail < sources;
  const size_t index = is_source ? fault.detail : fault.detail - sources;
  const uint64_t full = places.shard_bytes;
  const auto length = [&] {
    return is_source && !places.lengths.empty() ? places.lengths[index] : full;
  };
  const auto place = [&] {
    return absl::StrCat(is_source ? "offsets[" : "output_offsets[", index, "]");
  };
  const auto bytes_there = [&] {
    return absl::StrCat((is_source ? places.sources : places.outputs)[index], ", for ", length(),
                        " bytes");
  };
  if (fault.outcome == Outcome::kBadShardBytes) {
    return InvalidField(
        "shard_bytes",
        absl::StrCat(full, " for each of ", sources + places.outputs.size(), " shards"),
        absl::StrCat("at most ", region.bytes(), " bytes in all, as the region has"));
  }
  if (fault.outcome == Outcome::kBadLength) {
    return InvalidField(absl::StrCat("lengths[", index, "]"), length(),
                        absl::StrCat(length() > full ? "at most " : "for a shard to be updated ",
                                     "shard_bytes (", full, ")"));
  }
  if (fault.outcome == Outcome::kOutsideRegion) {
    return InvalidField(place(), bytes_there(),
                        absl::StrCat("all of them in the region of ", region.bytes(), " bytes"));
  }
  // kOverlap: there is no other.
  return InvalidField(place(), bytes_there(),
                      "an output that overlaps no other shard of the request");
}

}  // namespace

absl::Status ShardPlaces::Find(const region::RegionTable* regions, Operation operation,
                               const codec::Geometry& geometry,
                               const wire::StripeMessage& message) {
  if (message.form() != wire::ShardForm::kRegion) {
    shards_ = message.shards();
    return absl::OkStatus();
  }
  if (regions != nullptr) region_ = regions->Find(message.region());
  if (region_ == nullptr) {
    // Without the id: what was one a moment ago need not get into a log.
    return codec::FieldError(absl::StatusCode::kNotFound, "region", "an id that no region has",
                             "that of a region of this server");
  }
  const bool has_outputs = operation == Operation::kEncode || operation == Operation::kReconstruct;
  if (message.output_offsets().empty() == has_outputs) {
    return InvalidField("output_offsets", message.output_offsets().size(),
                        has_outputs ? "one for each computed shard" : "none for this operation");
  }
  RegionShards::Places places;
  places.shard_bytes = message.shard_bytes();
  places.sources = message.offsets();
  places.lengths = message.lengths();
  places.outputs = message.output_offsets();
  places.stripes = message.stripes();
  if (operation == Operation::kUpdate) {
    // Too few shards for that: StripeJob::Make refuses them.
    places.updated_per_stripe = std::min<uint32_t>(
        geometry.parity_shards(), static_cast<uint32_t>(places.sources.size() / places.stripes));
  }
  const Fault fault = in_region_.Find(*region_, places);
  if (!fault.ok()) return ErrorOf(fault, *region_, places);
  shards_ = in_region_.sources();
  return absl::OkStatus();
}

}  // namespace parity::rpc
