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
#include "parity/kernels/kernel_table.h"

namespace parity::codec {

// Factors of k sources for m outputs, source-major (see kernels::GfMatrixJob).
using Coefficients = std::vector<uint8_t>;

// Not thread-safe; meant to be kept by one thread and reused, so that its vectors stop growing.
class Batch {
 public:
  explicit Batch(const kernels::KernelTable& table) : table_(table) {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // Queues dst[r][0..bytes) = sum of coefficients * sources, as XOR where all factors are 1 and
  // there is one output. The memory behind the pointers, not the spans, must outlive Run(); the
  // coefficients are shared.
  // REQUIRES: coefficients->size() == sources.size() * dst.size(), none of them 0; no job of a
  // batch reads what another one writes.
  void Add(absl::Span<const uint8_t* const> sources, absl::Span<uint8_t* const> dst,
           std::shared_ptr<const Coefficients> coefficients, size_t bytes);

  // Runs what was queued, in at most one kernel call per operation, and empties the batch.
  void Run();

 private:
  struct Planned {
    size_t first_source;
    size_t first_dst;
    size_t k;
    size_t m;
    size_t bytes;
    const Coefficients* coefficients;  // null: XOR
  };

  const kernels::KernelTable& table_;
  std::vector<Planned> planned_;
  std::vector<const uint8_t*> sources_;
  std::vector<uint8_t*> dst_;
  std::vector<std::shared_ptr<const Coefficients>> coefficients_;
  std::vector<kernels::XorJob> xor_jobs_;
  std::vector<kernels::GfMatrixJob> gf_jobs_;
};

}  // namespace parity::codec

#endif  // PARITY_CODEC_BATCH_H_
