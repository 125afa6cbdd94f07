// Kernel jobs collected from any number of stripes and run together.
//
// Key decision: codecs only plan; a Batch runs. So a server can plan every request that is ready
// and enter the kernels once per operation.
#ifndef PARITY_CODEC_BATCH_H_
#define PARITY_CODEC_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "parity/codec/factors.h"
#include "parity/codec/run_counts.h"
#include "parity/kernels/kernel_table.h"

namespace parity::codec {

// Not thread-safe; meant to be kept by one thread and reused, so that its vectors stop growing.
//
// Run() decides the order: no operation of a batch may read or write what another one of it writes.
// Update of a stripe after Encode of it takes two batches. The memory behind the pointers, not the
// spans, must outlive Run(); the factors are shared.
//
// Cost: (sources + dst) * 8 bytes, and some 100, for each run in which all shards are contiguous; a
// shard that has ended counts as zeros in runs of 16 KiB.
class Batch {
 public:
  explicit Batch(const kernels::KernelTable& table) : table_(table) {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // Queues dst[r][0..bytes) = the sum of the sources with these factors.
  // REQUIRES: as many sources and dst as `factors` has, at most kernels::kMaxGfShards of each.
  void Generate(absl::Span<const uint8_t* const> sources, absl::Span<uint8_t* const> dst,
                std::shared_ptr<const Factors> factors, size_t bytes);

  // Queues dst[r][0..bytes) += the sum of the differences between new and old sources with these
  // factors. The same applies; dst may overlap no source.
  void Update(absl::Span<const uint8_t* const> old_sources,
              absl::Span<const uint8_t* const> new_sources, absl::Span<uint8_t* const> dst,
              std::shared_ptr<const Factors> factors, size_t bytes);

  // Runs what was queued, in at most one kernel call per operation, and empties the batch.
  void Run();

  // Every run that was queued so far. Thread-safe.
  const RunCounts& runs() const { return runs_; }

 private:
  enum class Operation : uint8_t { kXor, kPq, kMatrix, kMatrixUpdate };

  struct Planned {
    Operation operation;
    size_t first_source;  // of kMatrixUpdate: of the old ones; the new ones follow
    size_t sources;       // of kMatrixUpdate: as many old as new ones
    size_t first_dst;
    const Factors* factors;
    size_t bytes;
  };

  // Queues a job whose sources have been appended to sources_, from `first_source` on.
  void Plan(Operation operation, size_t first_source, size_t sources,
            absl::Span<uint8_t* const> dst, std::shared_ptr<const Factors> factors, size_t bytes);
  // Makes the kernels' jobs of planned_, in its order.
  void MakeJobs();

  const kernels::KernelTable& table_;
  RunCounts runs_;
  std::vector<Planned> planned_;
  std::vector<const uint8_t*> sources_;
  std::vector<uint8_t*> dst_;
  std::vector<std::shared_ptr<const Factors>> factors_;
  std::vector<kernels::XorJob> xor_jobs_;
  std::vector<kernels::PqJob> pq_jobs_;
  std::vector<kernels::GfMatrixJob> matrix_jobs_;
  std::vector<kernels::GfMatrixJob> matrix_add_jobs_;
};

}  // namespace parity::codec

#endif  // PARITY_CODEC_BATCH_H_
