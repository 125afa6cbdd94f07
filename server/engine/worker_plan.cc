#include "parity/engine/worker_plan.h"

#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
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

Bitmap Minus(hwloc_const_bitmap_t from, hwloc_const_bitmap_t what) {
  Bitmap left(hwloc_bitmap_alloc());
  hwloc_bitmap_andnot(left.get(), from, what);
  return left;
}

struct NodeCpus {
  WorkerPlan::Node node;  // without CPUs and cores
  Bitmap cpus;            // online, each in one node only
  Bitmap foreign;         // the part of `cpus` that is in no node
};

// Every node, by index, with the CPUs that count to it: together all that are online.
std::vector<NodeCpus> NodesOf(hwloc_topology* topology) {
  std::vector<hwloc_obj_t> objects;
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, object)) != nullptr) {
    objects.push_back(object);
  }
  std::sort(objects.begin(), objects.end(), [](hwloc_obj_t a, hwloc_obj_t b) {
    return std::pair(hwloc_bitmap_weight(a->cpuset), a->os_index) <
           std::pair(hwloc_bitmap_weight(b->cpuset), b->os_index);
  });
  const hwloc_const_bitmap_t allowed_nodes = hwloc_topology_get_allowed_nodeset(topology);
  Bitmap left(hwloc_bitmap_dup(hwloc_topology_get_topology_cpuset(topology)));
  std::vector<NodeCpus> nodes;
  for (hwloc_obj_t node : objects) {
    Bitmap cpus(hwloc_bitmap_alloc());
    hwloc_bitmap_and(cpus.get(), node->cpuset, left.get());
    hwloc_bitmap_andnot(left.get(), left.get(), cpus.get());
    const bool allowed = hwloc_bitmap_isset(allowed_nodes, node->os_index) != 0;
    nodes.push_back({{node->os_index, node->attr->numanode.local_memory, {}, {}, allowed},
                     std::move(cpus),
                     Bitmap(hwloc_bitmap_alloc())});
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const NodeCpus& a, const NodeCpus& b) { return a.node.id < b.node.id; });
  if (hwloc_bitmap_iszero(left.get()) || nodes.empty()) return nodes;
  const auto with_memory = std::find_if(nodes.begin(), nodes.end(), [](const NodeCpus& n) {
    return n.node.memory_allowed && n.node.memory_bytes > 0;
  });
  NodeCpus& home = with_memory == nodes.end() ? nodes.front() : *with_memory;
  hwloc_bitmap_or(home.cpus.get(), home.cpus.get(), left.get());
  home.foreign = std::move(left);
  return nodes;
}

// The cores whose CPUs count to the node.
std::vector<WorkerPlan::Core> CoresOf(hwloc_topology* topology, const NodeCpus& node,
                                      hwloc_const_bitmap_t usable) {
  const bool has_cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0;
  const hwloc_obj_type_t type = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  std::vector<WorkerPlan::Core> cores;
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr) {
    Bitmap online(hwloc_bitmap_alloc());
    hwloc_bitmap_and(online.get(), object->cpuset, node.cpus.get());
    if (hwloc_bitmap_iszero(online.get())) continue;
    Bitmap may_use(hwloc_bitmap_alloc());
    hwloc_bitmap_and(may_use.get(), online.get(), usable);
    cores.push_back({IndicesIn(may_use.get()), IndicesIn(Minus(online.get(), usable).get()),
                     hwloc_bitmap_intersects(online.get(), node.foreign.get()) == 0});
  }
  return cores;
}

// True if one of the cores of `nodes` cannot be used, and `cpus`, ascending, hold a CPU of it.
bool LeaveOutACore(const std::vector<uint32_t>& cpus, const std::vector<WorkerPlan::Node>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [&cpus](const WorkerPlan::Node& node) {
    return std::any_of(node.cores.begin(), node.cores.end(), [&cpus](const WorkerPlan::Core& core) {
      return core.cpus.empty() &&
             std::any_of(core.barred_cpus.begin(), core.barred_cpus.end(), [&cpus](uint32_t cpu) {
               return std::binary_search(cpus.begin(), cpus.end(), cpu);
             });
    });
  });
}

}  // namespace

std::vector<std::string_view> WorkerPlan::DecidedBy() const {
  if (bounds.asked_workers.has_value()) return {"workers"};
  if (workers.size() < bounds.usable_cores) return {"quota"};
  std::vector<std::string_view> left_out;
  const auto leaves_out_a_core = [this](const std::vector<uint32_t>& cpus) {
    return LeaveOutACore(cpus, nodes) || LeaveOutACore(cpus, idle_nodes);
  };
  if (leaves_out_a_core(bounds.outside_cpuset)) left_out.emplace_back("cpuset");
  if (leaves_out_a_core(bounds.outside_affinity)) left_out.emplace_back("affinity");
  if (left_out.empty()) left_out.emplace_back("cores");
  return left_out;
}

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
  const hwloc_const_bitmap_t online = hwloc_topology_get_topology_cpuset(topology);
  const hwloc_const_bitmap_t cpuset = hwloc_topology_get_allowed_cpuset(topology);
  Bitmap usable(hwloc_bitmap_alloc());
  for (uint32_t cpu : usable_cpus) hwloc_bitmap_set(usable.get(), cpu);
  hwloc_bitmap_and(usable.get(), usable.get(), cpuset);
  hwloc_bitmap_and(usable.get(), usable.get(), online);

  WorkerPlan plan;
  for (NodeCpus& of_node : NodesOf(topology)) {
    of_node.node.cores = CoresOf(topology, of_node, usable.get());
    hwloc_bitmap_and(of_node.cpus.get(), of_node.cpus.get(), usable.get());
    of_node.node.cpus = IndicesIn(of_node.cpus.get());
    auto& nodes = of_node.node.cpus.empty() ? plan.idle_nodes : plan.nodes;
    nodes.push_back(std::move(of_node.node));
  }
  plan.bounds.offline_cpus =
      IndicesIn(Minus(hwloc_topology_get_complete_cpuset(topology), online).get());
  const Bitmap barred = Minus(online, usable.get());
  plan.bounds.outside_cpuset = IndicesIn(Minus(barred.get(), cpuset).get());
  Bitmap unbound(hwloc_bitmap_alloc());
  hwloc_bitmap_and(unbound.get(), barred.get(), cpuset);
  plan.bounds.outside_affinity = IndicesIn(unbound.get());
  plan.bounds.quota_cpus = quota_cpus;
  plan.bounds.asked_workers = workers;

  // The first usable CPU of the first usable core of each node, then of the second ones, ...
  std::vector<std::vector<uint32_t>> first_cpus;
  size_t deepest = 0;
  for (const WorkerPlan::Node& node : plan.nodes) {
    std::vector<uint32_t>& of_node = first_cpus.emplace_back();
    for (const WorkerPlan::Core& core : node.cores) {
      if (!core.cpus.empty()) of_node.push_back(core.cpus.front());
    }
    deepest = std::max(deepest, of_node.size());
  }
  for (size_t rank = 0; rank < deepest; ++rank) {
    for (size_t n = 0; n < first_cpus.size(); ++n) {
      if (rank < first_cpus[n].size()) {
        plan.workers.push_back({first_cpus[n][rank], plan.nodes[n].id});
      }
    }
  }
  if (plan.workers.empty()) return absl::InternalError("no core of the topology is usable");
  plan.bounds.usable_cores = plan.workers.size();

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
  // What the cpuset leaves out is part of the plan too: it says so.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(raw) != 0) {
    return absl::InternalError(absl::StrCat("hwloc: ", std::strerror(errno)));
  }
  // The affinity of this process may be narrower than its cpuset.
  Bitmap usable(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(raw)));
  Bitmap bound(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(raw, bound.get(), HWLOC_CPUBIND_PROCESS) == 0) {
    hwloc_bitmap_and(usable.get(), usable.get(), bound.get());
  }
  return PlanWorkersOn(raw, IndicesIn(usable.get()), CpuQuota(), workers);
}

}  // namespace parity::engine
