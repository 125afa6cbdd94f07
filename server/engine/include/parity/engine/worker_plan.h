// Where the workers run: one per core that this process may use.
//
// Key decision: what the process may use decides (cpuset, affinity and CPU quota), never the number
// of cores that the host has.
#ifndef PARITY_ENGINE_WORKER_PLAN_H_
#define PARITY_ENGINE_WORKER_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

struct hwloc_topology;

namespace parity::engine {

struct WorkerPlan {
  struct Worker {
    uint32_t cpu;   // operating-system index of the CPU to pin to: the first usable one of its core
    uint32_t node;  // operating-system index of the NUMA node of that CPU
  };
  struct Node {
    uint32_t id;
    uint64_t memory_bytes;
    std::vector<uint32_t> cpus;  // those this process may use, ascending
  };
  std::vector<Worker> workers;  // alternating between the nodes, so that any first N are spread
  std::vector<Node> nodes;      // those with a usable CPU

  // "node 0: cpus 0 1, 24.0 GiB, workers 0 1; node 1: ...", one clause a node.
  std::string ToString() const;
};

// The plan for the machine it runs on. `workers` is the number asked for; without it there is one
// per usable core, but not more than the CPU quota of the control group keeps busy (rounded up).
// INVALID_ARGUMENT naming "workers" if it is 0 or more than the usable cores; INTERNAL if the
// topology cannot be read.
absl::StatusOr<WorkerPlan> PlanWorkers(std::optional<uint32_t> workers);

// The same for a topology of the caller's, of which `usable_cpus` may be used, and a quota in CPUs.
absl::StatusOr<WorkerPlan> PlanWorkersOn(hwloc_topology* topology,
                                         const std::vector<uint32_t>& usable_cpus,
                                         std::optional<double> quota_cpus,
                                         std::optional<uint32_t> workers);

}  // namespace parity::engine

#endif  // PARITY_ENGINE_WORKER_PLAN_H_
