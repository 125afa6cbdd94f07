// What a single rate does not tell: each scenario starts servers of its own and prints its figures
// as one JSON object on a line, or as text.
#ifndef PARITY_SERVER_BENCH_SCENARIOS_H_
#define PARITY_SERVER_BENCH_SCENARIOS_H_

#include "absl/status/statusor.h"
#include "figures.h"
#include "setup.h"

namespace parity::bench {

// A small call beside a connection that streams large shards.
absl::StatusOr<Figures> RunMixed(const Setup& setup);

// Small stripes, offered at half of what was just measured as the capacity.
absl::StatusOr<Figures> RunHalfLoad(const Setup& setup);

// Ten times as many requests outstanding as keep the server busy. `max_held_bytes`: what the server
// may hold; given to it if it has that option.
absl::StatusOr<Figures> RunOverload(const Setup& setup, uint64_t max_held_bytes);

// Many connections that do nothing.
absl::StatusOr<Figures> RunIdle(const Setup& setup);

// One worker, and two.
absl::StatusOr<Figures> RunWorkers(const Setup& setup);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_SCENARIOS_H_
