// A client of the server's shared memory.
#ifndef PARITY_SERVER_BENCH_RING_LOAD_H_
#define PARITY_SERVER_BENCH_RING_LOAD_H_

#include <cstdint>
#include <memory>

#include "absl/time/time.h"
#include "load.h"
#include "parity/client/ring.h"
#include "slots.h"

namespace parity::bench {

// Before a job of Access::kPaused: both sides are asleep long before.
inline constexpr absl::Duration kPause = absl::Milliseconds(2);

// Where a row's plan is in the ring.
inline constexpr uint16_t kEncodePlan = 0;

// Puts the row's plan in its place and waits until it is there.
absl::Status DefinePlan(client::Ring& ring, const ShmRow& row);

// A closed loop with row.depth jobs under way on the slots, one after the other; `most` jobs at
// most, if not 0. A latency begins when the first job of those that are published together is
// submitted, and ends when the completion has been taken. Both outlive it; the plan is defined.
std::unique_ptr<Load> MakeRingLoad(client::Ring& ring, const ShmRow& row, Slots& slots,
                                   uint64_t most = 0);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_RING_LOAD_H_
