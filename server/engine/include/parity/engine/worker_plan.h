// Where the workers run: one per core that this process may use.
//
// Key decision: what the process may use decides (cpuset, affinity and CPU quota), never the number
// of cores that the host has.
#ifndef PARITY_ENGINE_WORKER_PLAN_H_
#define PARITY_ENGINE_WORKER_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

struct hwloc_topology;

namespace parity::engine {

// All CPUs and nodes are operating-system indices, all lists of CPUs ascending.
struct WorkerPlan {
  struct Worker {
    uint32_t cpu;   // the CPU to pin to: the first usable one of its core
    uint32_t node;  // the NUMA node that its memory comes from
  };
  struct Core {
    std::vector<uint32_t> cpus;         // those this process may use
    std::vector<uint32_t> barred_cpus;  // those online that the cpuset or the affinity leaves out
    // False if the machine puts the core in no node. It counts to the node with the lowest index
    // whose memory may be used, which is where Linux takes its memory from.
    bool in_node = true;
  };
  struct Node {
    uint32_t id;
    uint64_t memory_bytes;
    std::vector<uint32_t> cpus;  // those this process may use
    // All that are online, usable or not. A CPU near several memories (DRAM and HBM or CXL) counts
    // to the node with the fewest CPUs, of those the one with the lowest index: the DRAM.
    std::vector<Core> cores;
    bool memory_allowed = true;  // by the cpuset of the control group
  };
  // What the number of workers was derived from.
  struct Bounds {
    std::vector<uint32_t> offline_cpus;
    std::vector<uint32_t> outside_cpuset;    // online, left out by the cpuset
    std::vector<uint32_t> outside_affinity;  // in the cpuset, left out by the affinity
    size_t usable_cores = 0;
    std::optional<double> quota_cpus;
    std::optional<uint32_t> asked_workers;
  };

  std::vector<Worker> workers;   // alternating between the nodes, so that any first N are spread
  std::vector<Node> nodes;       // those with a usable CPU, by index
  std::vector<Node> idle_nodes;  // the others
  Bounds bounds;

  // What decided the number of workers: "workers" (it was asked for) or "quota", else those of
  // "cpuset" and "affinity" that left out a whole core, else "cores".
  std::vector<std::string_view> DecidedBy() const;

  // "node 0: cpus 0 1, 24.0 GiB, workers 0 1; node 1: ...", one clause for each of `nodes`.
  std::string ToString() const;
};

// The plan for the machine it runs on. `workers` is the number asked for; without it there is one
// per usable core, but not more than the CPU quota of the control group keeps busy (rounded up).
// INVALID_ARGUMENT naming "workers" if it is 0 or more than the usable cores; INTERNAL if the
// topology cannot be read.
absl::StatusOr<WorkerPlan> PlanWorkers(std::optional<uint32_t> workers);

// The same for a topology of the caller's, of which `usable_cpus` may be used as far as its allowed
// cpuset holds them, and a quota in CPUs. What a topology loaded without
// HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED does not hold counts as offline.
absl::StatusOr<WorkerPlan> PlanWorkersOn(hwloc_topology* topology,
                                         const std::vector<uint32_t>& usable_cpus,
                                         std::optional<double> quota_cpus,
                                         std::optional<uint32_t> workers);

}  // namespace parity::engine

#endif  // PARITY_ENGINE_WORKER_PLAN_H_
