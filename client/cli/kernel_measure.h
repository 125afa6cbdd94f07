// Kernel jobs in memory of their own, and how fast kernel tables do them.
#ifndef PARITY_CLI_KERNEL_MEASURE_H_
#define PARITY_CLI_KERNEL_MEASURE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "parity/kernels/kernel_table.h"
#include "parity/kernels/tuning.h"
#include "parity/timing/timing.h"

namespace parity::cli {

enum class KernelOp { kXor, kPq, kReedSolomon };

// Where shards start: each on a page of its own, all one byte behind it, or each another number of
// bytes behind it.
enum class ShardStarts { kPage, kAllPlus1, kScattered };

struct KernelShape {
  KernelOp op;
  size_t k;
  size_t m;  // 1 for kXor, 2 for kPq
  ShardStarts starts;
};

// The shards of one job of a shape, of up to a certain length, and what the job needs besides.
class KernelWorkload {
 public:
  KernelWorkload(const KernelShape& shape, size_t max_shard_bytes);
  KernelWorkload(const KernelWorkload&) = delete;
  KernelWorkload& operator=(const KernelWorkload&) = delete;

  // The job, for shards of that length. `table`, `tuning` and the workload must outlive the call.
  timing::Call Call(const kernels::KernelTable& table, const kernels::Tuning& tuning,
                    size_t shard_bytes) const;

 private:
  const KernelShape shape_;
  std::vector<uint8_t> memory_;
  std::vector<const uint8_t*> sources_;
  std::vector<uint8_t*> outputs_;
  std::vector<kernels::GfFactor> factors_;
};

// The shard length that rates are measured at.
inline constexpr size_t kRateShardBytes = 65536;

struct KernelRate {
  const kernels::KernelTable* table;
  double xor_gbps;           // of XOR 4+1, in 10^9 source bytes a second
  double reed_solomon_gbps;  // of Reed-Solomon 4+2
};

// Takes well under a second, whatever the tables.
std::vector<KernelRate> MeasureRates(const std::vector<const kernels::KernelTable*>& tables);

}  // namespace parity::cli

#endif  // PARITY_CLI_KERNEL_MEASURE_H_
