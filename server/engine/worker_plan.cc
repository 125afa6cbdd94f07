#include "parity/engine/worker_plan.h"

#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "parity/codec/field_error.h"
#include "parity/engine/cpu_quota.h"

namespace parity::engine {
namespace {

struct TopologyDeleter {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
struct BitmapDeleter {
  void operator()(hwloc_bitmap_s* bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, BitmapDeleter>;

std::vector<uint32_t> IndicesIn(hwloc_const_bitmap_t bitmap) {
  std::vector<uint32_t> indices;
  for (int i = hwloc_bitmap_first(bitmap); i != -1; i = hwloc_bitmap_next(bitmap, i)) {
    indices.push_back(static_cast<uint32_t>(i));
  }
  return indices;
}

// The usable CPUs of each NUMA node that has any.
std::vector<WorkerPlan::Node> NodesOf(hwloc_topology* topology, hwloc_const_bitmap_t usable) {
  std::vector<WorkerPlan::Node> nodes;
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, object)) != nullptr) {
    Bitmap cpus(hwloc_bitmap_alloc());
    hwloc_bitmap_and(cpus.get(), object->cpuset, usable);
    if (hwloc_bitmap_iszero(cpus.get())) continue;
    nodes.push_back({object->os_index, object->attr->numanode.local_memory, IndicesIn(cpus.get())});
  }
  return nodes;
}

// For each node, the first usable CPU of each of its cores.
std::vector<std::vector<uint32_t>> CoresOf(hwloc_topology* topology, hwloc_const_bitmap_t usable,
                                           const std::vector<WorkerPlan::Node>& nodes) {
  std::vector<std::vector<uint32_t>> cores(nodes.size());
  hwloc_obj_t core = nullptr;
  const bool has_cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0;
  const hwloc_obj_type_t type = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  while ((core = hwloc_get_next_obj_by_type(topology, type, core)) != nullptr) {
    Bitmap cpus(hwloc_bitmap_alloc());
    hwloc_bitmap_and(cpus.get(), core->cpuset, usable);
    const int first = hwloc_bitmap_first(cpus.get());
    if (first == -1) continue;
    const auto cpu = static_cast<uint32_t>(first);
    for (size_t n = 0; n < nodes.size(); ++n) {
      if (std::binary_search(nodes[n].cpus.begin(), nodes[n].cpus.end(), cpu)) {
        cores[n].push_back(cpu);
        break;
      }
    }
  }
  return cores;
}

}  // namespace

std::string WorkerPlan::ToString() const {
  std::vector<std::string> clauses;
  for (const Node& node : nodes) {
    std::vector<size_t> ids;
    for (size_t w = 0; w < workers.size(); ++w) {
      if (workers[w].node == node.id) ids.push_back(w);
    }
    clauses.push_back(absl::StrFormat(
        "node %d: cpus %s, %.1f GiB, workers %s", node.id, absl::StrJoin(node.cpus, " "),
        static_cast<double>(node.memory_bytes) / (1 << 30), absl::StrJoin(ids, " ")));
  }
  return absl::StrJoin(clauses, "; ");
}

absl::StatusOr<WorkerPlan> PlanWorkersOn(hwloc_topology* topology,
                                         const std::vector<uint32_t>& usable_cpus,
                                         std::optional<double> quota_cpus,
                                         std::optional<uint32_t> workers) {
  Bitmap usable(hwloc_bitmap_alloc());
  for (uint32_t cpu : usable_cpus) hwloc_bitmap_set(usable.get(), cpu);

  WorkerPlan plan;
  plan.nodes = NodesOf(topology, usable.get());
  const auto cores = CoresOf(topology, usable.get(), plan.nodes);
  size_t deepest = 0;
  for (const auto& of_node : cores) deepest = std::max(deepest, of_node.size());
  for (size_t rank = 0; rank < deepest; ++rank) {
    for (size_t n = 0; n < cores.size(); ++n) {
      if (rank < cores[n].size()) plan.workers.push_back({cores[n][rank], plan.nodes[n].id});
    }
  }
  if (plan.workers.empty()) return absl::InternalError("no core of the topology is usable");

  size_t wanted = plan.workers.size();
  if (workers.has_value()) {
    if (*workers == 0 || *workers > plan.workers.size()) {
      return codec::InvalidField(
          "workers", *workers,
          absl::StrCat("1 to ", plan.workers.size(), ", the cores this process may use"));
    }
    wanted = *workers;
  } else if (quota_cpus.has_value()) {
    wanted = std::min(wanted, static_cast<size_t>(std::max(1.0, std::ceil(*quota_cpus))));
  }
  plan.workers.resize(wanted);
  return plan;
}

absl::StatusOr<WorkerPlan> PlanWorkers(std::optional<uint32_t> workers) {
  hwloc_topology* raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return absl::InternalError("hwloc: no topology");
  std::unique_ptr<hwloc_topology, TopologyDeleter> topology(raw);
  if (hwloc_topology_load(raw) != 0) {
    return absl::InternalError(absl::StrCat("hwloc: ", std::strerror(errno)));
  }
  // The topology holds the CPUs of the cpuset; the affinity of this process may be narrower.
  Bitmap usable(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(raw)));
  Bitmap bound(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(raw, bound.get(), HWLOC_CPUBIND_PROCESS) == 0) {
    hwloc_bitmap_and(usable.get(), usable.get(), bound.get());
  }
  return PlanWorkersOn(raw, IndicesIn(usable.get()), CpuQuota(), workers);
}

}  // namespace parity::engine
