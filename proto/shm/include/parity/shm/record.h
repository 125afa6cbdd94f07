// The records of the submission ring.
//
// Key decision: what is the same for many stripes, code and indices, is a plan, defined once; a
// record that runs it holds nothing but numbers: where the shards lie.
#ifndef PARITY_SHM_RECORD_H_
#define PARITY_SHM_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "parity/codec/geometry.h"

namespace parity::shm {

enum class RecordKind : uint8_t {
  kDefine = 1,  // a plan, in place of one that is there; if it is refused the place is empty
  kRun = 2,     // of a plan, on stripes of the region
};

// The first words of every record, in host order.
//
// Behind them kDefine has the words of PlanWords; kRun has
//   the offset in the region of every source, those of the first stripe first;
//   the offset of every output in the same order, or, to verify, that of the report;
//   if has_lengths: the length of every source; it counts as followed by zeros up to shard_bytes.
struct RecordHeader {
  static constexpr size_t kWords = 4;

  RecordKind kind;
  bool has_lengths;
  uint16_t plan;     // its place, less than kMaxPlans
  uint32_t stripes;  // 1 to kMaxStripes
  uint64_t id;       // the client's own, for the completion
  uint64_t shard_bytes;
  uint64_t words;  // of the record, these included

  // Every pattern of bits can be read; a kind that there is not stays in `kind`.
  static RecordHeader Read(absl::Span<const uint64_t> words);
  void Write(uint64_t* words) const;
};

enum class Operation : uint8_t { kEncode = 1, kReconstruct = 2, kVerify = 3, kUpdate = 4 };

// What is done with every stripe of a record.
struct Plan {
  Operation operation;
  codec::Geometry geometry;
  std::vector<uint32_t> indices;  // present shards to reconstruct from, or changed ones to update
  std::vector<uint32_t> wanted;   // shards to reconstruct

  // Shards that a stripe brings: the data shards; the present ones; all; the old contents of the
  // changed data shards, the new ones, and all parity shards, which are updated where they lie.
  uint32_t sources() const;
  // Shards that a stripe gets apart from these.
  uint32_t outputs() const;
};

// What follows the header of a kDefine record.
std::vector<uint64_t> PlanWords(const Plan& plan);
// The plan; unset if the words are none: a bad geometry, more than Geometry::kMaxShards indices,
// words too few or too many. Whether indices go with the geometry is checked when the plan is used.
std::optional<Plan> PlanFrom(absl::Span<const uint64_t> words);

// Words of a kRun record of `plan`, header included. Does not overflow for any number of stripes.
uint64_t RunWords(const Plan& plan, uint32_t stripes, bool has_lengths);

// What verifying wrote to the region, at an offset that is a multiple of 8: this, then
// `mismatches` times a Mismatch, by stripe.
struct VerifyReport {
  static constexpr uint32_t kNoSuspect = UINT32_MAX;
  // More mismatches are not named.
  static constexpr uint32_t kMaxMismatches = 1'024;

  struct Mismatch {
    uint32_t stripe;
    uint32_t shard;
    uint64_t offset;
  };

  uint32_t mismatches;
  uint32_t more;     // 1 if there are more than these
  uint32_t suspect;  // as in parity.v1.VerifyResponse, or kNoSuspect
  uint32_t reserved;
};

// The room that a report takes at most, of stripes of this geometry.
size_t ReportBytes(const codec::Geometry& geometry, uint32_t stripes);

}  // namespace parity::shm

#endif  // PARITY_SHM_RECORD_H_
