// Puts a worker's thread, and the memory it will touch, in the place that the plan has for it.
//
// Key decision: the thread is tied to its CPU and its memory to its node, each on its own, so that
// either holds where the other is refused. With both refused a worker works all the same.
#ifndef PARITY_ENGINE_THREAD_PLACEMENT_H_
#define PARITY_ENGINE_THREAD_PLACEMENT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "parity/engine/worker_plan.h"

namespace parity::engine {

// What came of it: PinThread's result and PreferNode's.
struct Placement {
  absl::Status cpu;
  absl::Status memory;
};

// Pins the calling thread to the worker's CPU and prefers memory of its node. Allocates nothing
// unless refused, so a thread that begins with it has all its memory, its malloc arena too, there.
Placement PlaceThread(const WorkerPlan::Worker& worker);

// What to log about it: a line for each of the two that was refused, but each of them only once in
// the life of the process, however many workers it hits. Thread-safe.
std::vector<std::string> NewWarnings(const Placement& placement);

}  // namespace parity::engine

#endif  // PARITY_ENGINE_THREAD_PLACEMENT_H_
