// One stripe to encode, by a coder and by the bare kernel.
#ifndef PARITY_CLIENT_BENCH_WORKLOAD_H_
#define PARITY_CLIENT_BENCH_WORKLOAD_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "parity/client/coder.h"
#include "parity/codec/geometry.h"
#include "parity/kernels/kernel_table.h"
#include "parity/timing/timing.h"

namespace parity::bench {

class Workload {
 public:
  // Shards begin on pages, a line further each, lest all begin in the same set of the cache.
  Workload(const codec::Geometry& geometry, size_t shard_bytes);
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  // Calls that encode the stripe; one that fails ends the program. Both must outlive them.
  timing::Call Encode(client::Coder& coder) const;
  // Nothing but the kernel that the geometry calls for, with its job made beforehand.
  timing::Call Kernel(const kernels::KernelTable& table) const;

  // Of the data shards.
  double data_bytes() const;

 private:
  const codec::Geometry geometry_;
  const size_t shard_bytes_;
  std::vector<uint8_t> memory_;
  std::vector<client::ShardBytes> data_;
  std::vector<const uint8_t*> sources_;
  std::vector<uint8_t*> parity_;
  std::vector<kernels::GfFactor> factors_;
};

}  // namespace parity::bench

#endif  // PARITY_CLIENT_BENCH_WORKLOAD_H_
