// Where the shards of a request lie: in its message, or in a region.
#ifndef PARITY_RPC_SHARD_PLACES_H_
#define PARITY_RPC_SHARD_PLACES_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "parity/codec/geometry.h"
#include "parity/codec/shard.h"
#include "parity/engine/stripe_job.h"
#include "parity/region/region.h"
#include "parity/region/region_shards.h"
#include "parity/region/region_table.h"
#include "parity/wire/stripe_message.h"

namespace parity::rpc {

// Not thread-safe; does not move.
class ShardPlaces {
 public:
  ShardPlaces() = default;
  ShardPlaces(const ShardPlaces&) = delete;
  ShardPlaces& operator=(const ShardPlaces&) = delete;

  // Finds them. Call it once. `message` must outlive it; the region stays for as long as it lives.
  // `regions` may be null: there are none. NOT_FOUND naming "region"; INVALID_ARGUMENT naming
  // "shard_bytes", "output_offsets", "offsets[i]", "lengths[i]" or "output_offsets[i]". Whether
  // there are as many shards as the geometry calls for, StripeJob::Make says.
  absl::Status Find(const region::RegionTable* regions, engine::Operation operation,
                    const codec::Geometry& geometry, const wire::StripeMessage& message);

  absl::Span<const codec::Shard> shards() const { return shards_; }
  // Where to write what is computed; none: in memory of the answer.
  absl::Span<uint8_t* const> outputs() const { return in_region_.outputs(); }
  const region::Region* region() const { return region_.get(); }  // null: in the message

 private:
  std::shared_ptr<const region::Region> region_;
  region::RegionShards in_region_;
  absl::Span<const codec::Shard> shards_;
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_SHARD_PLACES_H_
