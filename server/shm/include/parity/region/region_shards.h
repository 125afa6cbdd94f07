// The shards of a request, where they lie in a region.
//
// Key decision: one check for requests over the ring and over gRPC. The numbers are the server's
// own copies; the client may change what it likes meanwhile.
#ifndef PARITY_REGION_REGION_SHARDS_H_
#define PARITY_REGION_REGION_SHARDS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "parity/codec/shard.h"
#include "parity/region/region.h"
#include "parity/shm/layout.h"

namespace parity::region {

// What is wrong with a request: shm::Outcome says what `detail` counts.
struct Fault {
  shm::Outcome outcome = shm::Outcome::kDone;
  uint32_t detail = 0;

  bool ok() const { return outcome == shm::Outcome::kDone; }
};

// Reused from request to request, it allocates nothing. Not thread-safe; does not move once found.
class RegionShards {
 public:
  // What a request says of its shards, those of the first stripe first.
  struct Places {
    uint64_t shard_bytes = 0;
    absl::Span<const uint64_t> sources;  // offsets in the region
    absl::Span<const uint64_t> lengths;  // none, or one for each source
    absl::Span<const uint64_t> outputs;  // offsets
    // The last sources of every stripe that are outputs as well, where they lie: the parity of an
    // update. Then `outputs` is empty, and these sources are shard_bytes long.
    uint32_t updated_per_stripe = 0;
    uint32_t stripes = 1;
  };

  RegionShards() = default;
  RegionShards(const RegionShards&) = delete;
  RegionShards& operator=(const RegionShards&) = delete;

  // Finds them. Refused are, in this order: shard_bytes of 0, or so large that all sources and
  // outputs together, if every one were full, were longer than the region (which bounds the work of
  // one request); a length beyond shard_bytes; what is not in the region as a whole; an output that
  // overlaps another one or, apart from itself, a source. Lengths and offsets are looked at shard
  // by shard. `detail` counts sources, then outputs. Cost: linear if sources and outputs are in
  // ascending order, as of packed shards; else it sorts.
  Fault Find(const Region& region, const Places& places);

  absl::Span<const codec::Shard> sources() const { return sources_; }
  absl::Span<uint8_t* const> outputs() const { return outputs_; }

 private:
  struct Range {
    const uint8_t* begin;
    const uint8_t* end;
    uint32_t place;
  };

  Fault FindSources(const Region& region, const Places& places);
  Fault FindOutputs(const Region& region, const Places& places);
  void AddOutput(uint8_t* data, uint64_t bytes, uint32_t place);
  Fault CheckOverlap();

  std::vector<codec::Segment> segments_;
  std::vector<codec::Shard> sources_;
  std::vector<uint8_t*> outputs_;
  std::vector<Range> read_;     // sources that are not updated
  std::vector<Range> written_;  // outputs
};

}  // namespace parity::region

#endif  // PARITY_REGION_REGION_SHARDS_H_
