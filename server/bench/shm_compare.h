// One row of shared memory: the ring beside the same work in this process.
#ifndef PARITY_SERVER_BENCH_SHM_COMPARE_H_
#define PARITY_SERVER_BENCH_SHM_COMPARE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "parity/client/ring.h"
#include "server_process.h"
#include "setup.h"
#include "shm_grid.h"

namespace parity::bench {

struct ShmResult {
  explicit ShmResult(const ShmRow& measured) : row(measured) {}

  ShmRow row;
  double gbps = 0;  // 10^9 bytes of data shards a second: the median of the rounds
  double local_gbps = 0;
  double read_limit_gbps = 0;  // of reading all slots, without computing
  double stripes_per_s = 0;
  double local_stripes_per_s = 0;
  double p50_us = 0;  // of a job, over all rounds
  double p99_us = 0;
  double server_cpu_s_per_gb = 0;
  std::optional<double> unary_p50_us;  // of a call for the same stripe, one at a time
  uint64_t checked = 0;                // jobs whose parity was compared as a whole

  double ratio() const { return gbps / local_gbps; }
};

// The server with one worker, and a ring of it. The ring goes first.
struct SharedMemory {
  std::unique_ptr<ServerProcess> server;
  std::unique_ptr<client::Ring> ring;
};

// Room for the largest of the rows, filled with noise. Keeps this thread, and those that it starts,
// to a core that is not the worker's, if there is one.
absl::StatusOr<SharedMemory> OpenSharedMemory(const Setup& setup, const std::vector<ShmRow>& rows,
                                              std::optional<absl::Duration> spin);

// Checks every slot's parity once, then measures the row in rounds, in each of which the ring, the
// kernels of this process, reading alone and, if the row says so, gRPC have their turn. DATA_LOSS
// if parity is wrong.
absl::StatusOr<ShmResult> CompareShm(const Setup& setup, const SharedMemory& shared,
                                     const ShmRow& row);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_SHM_COMPARE_H_
