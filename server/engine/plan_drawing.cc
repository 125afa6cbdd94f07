#include "parity/engine/plan_drawing.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace parity::engine {
namespace {

using Cpus = std::vector<uint32_t>;

// A row of cores is about this wide.
constexpr size_t kRowCharacters = 90;

// "0-3 8", for ascending CPUs.
std::string Ranges(const Cpus& cpus) {
  std::vector<std::string> ranges;
  for (size_t first = 0, last; first < cpus.size(); first = last + 1) {
    for (last = first; last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1;) ++last;
    ranges.push_back(first == last ? absl::StrCat(cpus[first])
                                   : absl::StrCat(cpus[first], "-", cpus[last]));
  }
  return absl::StrJoin(ranges, " ");
}

// "CPU 8" or "CPUs 0-3 8".
std::string Named(const Cpus& cpus) {
  return absl::StrCat(cpus.size() == 1 ? "CPU " : "CPUs ", Ranges(cpus));
}

std::string Gibibytes(uint64_t bytes) {
  return absl::StrFormat("%.1f GiB", static_cast<double>(bytes) / (1 << 30));
}

std::string Counted(size_t count, const char* noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

std::map<uint32_t, size_t> WorkersByCpu(const WorkerPlan& plan) {
  std::map<uint32_t, size_t> workers;
  for (size_t w = 0; w < plan.workers.size(); ++w) workers[plan.workers[w].cpu] = w;
  return workers;
}

// `nodes` and `idle_nodes`, by index.
std::vector<const WorkerPlan::Node*> AllNodes(const WorkerPlan& plan) {
  std::vector<const WorkerPlan::Node*> nodes;
  for (const auto* some : {&plan.nodes, &plan.idle_nodes}) {
    for (const WorkerPlan::Node& node : *some) nodes.push_back(&node);
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const WorkerPlan::Node* a, const WorkerPlan::Node* b) { return a->id < b->id; });
  return nodes;
}

// Which marks of a core a drawing holds, for its legend.
struct Marks {
  bool worker = false;
  bool sibling = false;
  bool spare = false;
  bool barred = false;
  bool barred_sibling = false;
  bool foreign = false;
};

// "[w0: 0 8]", "[--: 1 9]", "[xx: (2) (10)]"; a core in no node ends in "?".
std::string Cell(const WorkerPlan::Core& core, const std::map<uint32_t, size_t>& workers,
                 Marks& marks) {
  std::string owner = "--";
  if (core.cpus.empty()) {
    owner = "xx";
    marks.barred = true;
  } else if (const auto worker = workers.find(core.cpus.front()); worker != workers.end()) {
    owner = absl::StrCat("w", worker->second);
    marks.worker = true;
    if (core.cpus.size() > 1) marks.sibling = true;
  } else {
    marks.spare = true;
  }
  if (!core.cpus.empty() && !core.barred_cpus.empty()) marks.barred_sibling = true;
  if (!core.in_node) marks.foreign = true;
  std::vector<std::string> cpus;
  for (uint32_t cpu : core.cpus) cpus.push_back(absl::StrCat(cpu));
  for (uint32_t cpu : core.barred_cpus) cpus.push_back(absl::StrCat("(", cpu, ")"));
  return absl::StrCat("[", owner, ": ", absl::StrJoin(cpus, " "), core.in_node ? "" : "?", "]");
}

// The cells in rows, one column below the other.
std::string Rows(const std::vector<std::string>& cells) {
  size_t width = 0;
  for (const std::string& cell : cells) width = std::max(width, cell.size());
  const size_t columns = std::max<size_t>(1, kRowCharacters / (width + 1));
  std::string rows;
  for (size_t i = 0; i < cells.size(); ++i) {
    const bool last_of_row = i % columns == columns - 1 || i + 1 == cells.size();
    absl::StrAppend(&rows, i % columns == 0 ? "    " : " ", cells[i]);
    if (last_of_row) {
      absl::StrAppend(&rows, "\n");
    } else {
      rows.append(width - cells[i].size(), ' ');
    }
  }
  return rows;
}

std::string Memory(const WorkerPlan::Node& node) {
  if (node.memory_bytes == 0) return "no memory";
  return absl::StrCat(Gibibytes(node.memory_bytes),
                      node.memory_allowed ? "" : " that the cpuset leaves out");
}

std::string DescribeNode(const WorkerPlan& plan, const WorkerPlan::Node& node) {
  if (node.cores.empty()) {
    return absl::StrCat(Memory(node), ", no core of its own: not used");
  }
  if (node.cpus.empty()) return absl::StrCat(Memory(node), ", no usable core: not used");
  std::vector<size_t> ids;
  for (size_t w = 0; w < plan.workers.size(); ++w) {
    if (plan.workers[w].node == node.id) ids.push_back(w);
  }
  if (ids.empty()) return absl::StrCat(Memory(node), ", no worker: not used");
  const std::string whose =
      absl::StrCat(ids.size() == 1 ? "worker " : "workers ", absl::StrJoin(ids, " "));
  if (node.memory_bytes == 0 || !node.memory_allowed) {
    return absl::StrCat(Memory(node), ": ", whose, " with memory of other nodes");
  }
  return absl::StrCat(Memory(node), " for ", whose);
}

std::string WhatDecided(const WorkerPlan& plan) {
  std::vector<std::string> reasons;
  for (std::string_view decided : plan.DecidedBy()) {
    if (decided == "workers") {
      reasons.emplace_back("as --workers says");
    } else if (decided == "quota") {
      reasons.emplace_back("as many as the CPU quota keeps busy");
    } else if (decided == "cpuset") {
      reasons.emplace_back("one per core that the cpuset allows");
    } else if (decided == "affinity") {
      reasons.emplace_back("one per core that the affinity allows");
    } else {
      reasons.emplace_back("one per core");
    }
  }
  return absl::StrJoin(reasons, ", ");
}

std::string LeavesOut(const Cpus& cpus) {
  return absl::StrCat("leaves out ", cpus.empty() ? "nothing" : Named(cpus));
}

std::string Legend(const Marks& marks) {
  std::string legend;
  if (marks.worker) {
    absl::StrAppend(&legend, "    [wN: A]    a core with worker N, which is pinned to its CPU A\n");
  }
  if (marks.sibling) {
    absl::StrAppend(&legend, "    [wN: A B]  B shares the core with A and gets no worker\n");
  }
  if (marks.spare) {
    absl::StrAppend(&legend, "    [--: A]    a core that may be used, but has no worker\n");
  }
  if (marks.barred) {
    absl::StrAppend(&legend, "    [xx: (A)]  a core that the cpuset or the affinity leaves out\n");
  }
  if (marks.barred_sibling) {
    absl::StrAppend(&legend, "    (A)        a CPU that the cpuset or the affinity leaves out\n");
  }
  if (marks.foreign) {
    absl::StrAppend(&legend, "    ?          the machine does not say in which node the core is\n");
  }
  return legend;
}

}  // namespace

std::string DrawPlan(const WorkerPlan& plan, const KernelChoice& kernels) {
  const std::vector<const WorkerPlan::Node*> nodes = AllNodes(plan);
  size_t cpus = 0;
  size_t cores = 0;
  uint64_t memory_bytes = 0;
  for (const WorkerPlan::Node* node : nodes) {
    memory_bytes += node->memory_bytes;
    cores += node->cores.size();
    for (const WorkerPlan::Core& core : node->cores) {
      cpus += core.cpus.size() + core.barred_cpus.size();
    }
  }
  const WorkerPlan::Bounds& bounds = plan.bounds;
  std::string drawing =
      absl::StrCat("workers:   ", plan.workers.size(), ", ", WhatDecided(plan), "\n");
  absl::StrAppend(&drawing, "machine:   ", Counted(cores, "core"), ", ", Counted(cpus, "CPU"), ", ",
                  Counted(nodes.size(), "node"), ", ", Gibibytes(memory_bytes));
  if (!bounds.offline_cpus.empty()) {
    absl::StrAppend(&drawing, "; offline: ", Named(bounds.offline_cpus));
  }
  absl::StrAppend(&drawing, "\ncpuset:    ", LeavesOut(bounds.outside_cpuset),
                  "\naffinity:  ", LeavesOut(bounds.outside_affinity), "\nCPU quota: ");
  if (bounds.quota_cpus.has_value()) {
    absl::StrAppend(&drawing, absl::StrFormat("%.2f CPUs\n", *bounds.quota_cpus));
  } else {
    absl::StrAppend(&drawing, "none\n");
  }

  const std::map<uint32_t, size_t> workers = WorkersByCpu(plan);
  Marks marks;
  for (const WorkerPlan::Node* node : nodes) {
    absl::StrAppend(&drawing, "\nnode ", node->id, ": ", DescribeNode(plan, *node), "\n");
    std::vector<std::string> cells;
    for (const WorkerPlan::Core& core : node->cores) cells.push_back(Cell(core, workers, marks));
    absl::StrAppend(&drawing, Rows(cells));
  }
  absl::StrAppend(&drawing, "\n", Legend(marks), "\nkernels:   ", kernels.selected,
                  kernels.asked == kernels.selected ? ", as --kernels says" : ", the best here",
                  "; usable: ", absl::StrJoin(kernels.usable, " "), "\n");
  return drawing;
}

std::string PlanAsJson(const WorkerPlan& plan, const KernelChoice& kernels) {
  using Json = nlohmann::ordered_json;
  const WorkerPlan::Bounds& bounds = plan.bounds;
  Json json;
  json["workers"] = Json::array();
  for (size_t w = 0; w < plan.workers.size(); ++w) {
    json["workers"].push_back(
        {{"id", w}, {"cpu", plan.workers[w].cpu}, {"node", plan.workers[w].node}});
  }
  json["decided_by"] = plan.DecidedBy();
  json["usable_cores"] = bounds.usable_cores;
  json["asked_workers"] = bounds.asked_workers.has_value() ? Json(*bounds.asked_workers) : Json();
  json["cpu_quota"] = bounds.quota_cpus.has_value() ? Json(*bounds.quota_cpus) : Json();
  json["outside_cpuset"] = bounds.outside_cpuset;
  json["outside_affinity"] = bounds.outside_affinity;
  json["offline_cpus"] = bounds.offline_cpus;
  json["nodes"] = Json::array();
  const std::map<uint32_t, size_t> workers = WorkersByCpu(plan);
  for (const WorkerPlan::Node* node : AllNodes(plan)) {
    Json cores = Json::array();
    for (const WorkerPlan::Core& core : node->cores) {
      const auto worker = core.cpus.empty() ? workers.end() : workers.find(core.cpus.front());
      cores.push_back({{"cpus", core.cpus},
                       {"barred_cpus", core.barred_cpus},
                       {"worker", worker == workers.end() ? Json() : Json(worker->second)},
                       {"in_node", core.in_node}});
    }
    json["nodes"].push_back({{"id", node->id},
                             {"memory_bytes", node->memory_bytes},
                             {"memory_allowed", node->memory_allowed},
                             {"cores", std::move(cores)}});
  }
  json["kernels"] = {
      {"asked", kernels.asked}, {"selected", kernels.selected}, {"usable", kernels.usable}};
  return json.dump(2) + "\n";
}

}  // namespace parity::engine
