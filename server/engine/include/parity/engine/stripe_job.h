// One request for parity, as pieces of work.
//
// Key decision: a request is computed slice by slice, a slice being some of its stripes or, of a
// large stripe, a range of columns. So a large request does not keep small ones waiting, its bytes
// are in the cache when their checksums are wanted, workers can share it, and what a batch holds is
// bounded.
#ifndef PARITY_ENGINE_STRIPE_JOB_H_
#define PARITY_ENGINE_STRIPE_JOB_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "parity/codec/batch.h"
#include "parity/codec/codec.h"
#include "parity/codec/shard.h"
#include "parity/engine/buffer_pool.h"
#include "parity/kernels/kernel_table.h"

namespace parity::engine {

enum class Operation : uint8_t { kEncode, kReconstruct, kVerify, kUpdate };

// What is asked for. The memory stays the caller's.
struct StripeTask {
  Operation operation = Operation::kEncode;
  // Those of the first stripe, then those of the second, and so on. Of a stripe: the k data shards
  // to encode, the present ones to reconstruct from, all to verify; to update, the old contents of
  // the changed data shards, then the new ones, then all parity shards.
  absl::Span<const codec::Shard> shards;
  size_t shard_bytes = 0;
  uint32_t stripes = 0;
  absl::Span<const uint32_t> indices;    // those present, or changed
  absl::Span<const uint32_t> wanted;     // to reconstruct
  absl::Span<const uint32_t> checksums;  // none, or the CRC32C of each shard
  // None, or where every computed shard goes, those of the first stripe first. They must not
  // overlap each other or a shard, but to update, where they may be the parity shards themselves.
  absl::Span<uint8_t* const> outputs = {};
};

// The shards that were computed: if the task had no outputs they lie in the buffer back to back,
// shard i at data() + i * shard_bytes.
struct ComputedShards {
  Buffer buffer;
  size_t shard_bytes = 0;
  uint32_t count = 0;
  std::vector<uint32_t> checksums;  // of each, if the task had any
};

struct Mismatch {
  uint32_t stripe;
  codec::VerifyReport::Mismatch at;
};

// What verifying found in all stripes.
struct StripeReport {
  static constexpr size_t kMaxMismatches = 1024;  // more than one stripe can have

  std::vector<Mismatch> mismatches;  // by stripe
  bool more = false;                 // than these
  std::optional<uint32_t> suspect;   // of the first stripe that is inconsistent
};

// Not thread-safe, except that several threads may Compute slices of their own if the job
// can_be_shared().
class StripeJob {
 public:
  // Nothing to do.
  StripeJob() = default;

  // INVALID_ARGUMENT, naming "shards", "outputs", "present", "wanted" or "changed", if there are
  // not as many as the geometry calls for. The spans' memory, and that of the shards, must outlive
  // the job.
  static absl::StatusOr<StripeJob> Make(std::shared_ptr<const codec::Codec> codec,
                                        const StripeTask& task);

  StripeJob(StripeJob&&) = default;
  StripeJob& operator=(StripeJob&&) = default;

  // Bytes of shards in the request if every one were full, and in the buffer of the answer.
  uint64_t source_bytes() const;
  uint64_t computed_bytes() const;
  // Of all computed shards, wherever they go.
  uint64_t result_bytes() const { return computed_.count * task_.shard_bytes; }
  uint32_t computed_shards() const { return computed_.count; }
  uint32_t stripes() const { return task_.stripes; }

  // Gets the memory of the answer, if the task has no outputs. RESOURCE_EXHAUSTED if there is none.
  // Before the first slice.
  absl::Status Allocate(BufferPool& pool);

  size_t slices() const { return slices_; }
  // Source bytes of a slice, at most.
  uint64_t slice_bytes() const;
  bool can_be_shared() const {
    return task_.checksums.empty() && task_.operation != Operation::kVerify;
  }

  // Queues slice `slice` in `batch`, or verifies it at once. Errors are those of codec::Codec.
  // REQUIRES: without can_be_shared(), slices are planned in their order.
  absl::Status Plan(size_t slice, codec::Batch& batch, const kernels::KernelTable& table);
  // What remains to be done with the slice once the batch has run.
  void AfterRun(size_t slice);

  // When every slice is done. DATA_LOSS, naming the first shard that does not have its checksum.
  absl::Status Check() const;
  ComputedShards& computed() { return computed_; }
  const StripeReport& report() const { return report_; }

 private:
  // Bytes [begin, end) of stripes [first, last).
  struct Part {
    uint32_t first;
    uint32_t last;
    size_t begin;
    size_t end;
  };

  StripeJob(std::shared_ptr<const codec::Codec> codec, const StripeTask& task,
            uint32_t shards_per_stripe, uint32_t computed_per_stripe);
  Part PartOf(size_t slice) const;
  absl::Status PlanStripe(uint32_t stripe, absl::Span<const codec::Shard> shards, const Part& part,
                          codec::Batch& batch, const kernels::KernelTable& table);
  absl::Status VerifyStripe(uint32_t stripe, absl::Span<const codec::Shard> shards,
                            const Part& part, const kernels::KernelTable& table);
  uint8_t* OutputOf(size_t shard) const;
  // What is to be updated in place.
  static void CopyParity(absl::Span<const codec::Shard> parity, size_t bytes,
                         absl::Span<uint8_t* const> to);
  void SumShards(uint32_t stripe, absl::Span<const codec::Shard> shards);

  std::shared_ptr<const codec::Codec> codec_;
  StripeTask task_;
  uint32_t shards_per_stripe_ = 0;
  uint32_t computed_per_stripe_ = 0;
  uint32_t stripes_per_slice_ = 0;  // 1 if a stripe is cut
  size_t columns_ = 0;              // bytes of every shard in a slice
  size_t slices_ = 0;
  ComputedShards computed_;
  std::vector<uint32_t> sums_;  // CRC32C of the shards, so far
  StripeReport report_;
};

}  // namespace parity::engine

#endif  // PARITY_ENGINE_STRIPE_JOB_H_
