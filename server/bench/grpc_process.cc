#include "grpc_process.h"

#include <malloc.h>

#include <cstdlib>

#include "absl/synchronization/mutex.h"
#include "grpc/grpc.h"

namespace parity::bench {

void TuneGrpcProcess() {
  setenv("GRPC_POLL_STRATEGY", "poll", 0);
  setenv("GRPC_EXPERIMENTS", "-tcp_read_chunks", 0);
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 2000 << 20);
  mallopt(M_TOP_PAD, 64 << 20);
  grpc_init();  // for good: gRPC would end and start its threads with every connection
}

}  // namespace parity::bench
