// Which cores the bench runs on, beside those of a server.
#ifndef PARITY_SERVER_BENCH_PLACEMENT_H_
#define PARITY_SERVER_BENCH_PLACEMENT_H_

#include "absl/status/status.h"

namespace parity::bench {

// Keeps this thread, and those that it starts, off the core of a server's first worker, if there is
// another one.
absl::Status LeaveFirstWorkersCore();

// The same, and keeps them to a single core: the last one.
absl::Status KeepToLastWorkersCore();

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_PLACEMENT_H_
