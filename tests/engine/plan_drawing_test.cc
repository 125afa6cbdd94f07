#include "parity/engine/plan_drawing.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "topology.h"

namespace parity::engine {
namespace {

using ::testing::HasSubstr;

KernelChoice Kernels() { return {"auto", "avx2", {"avx2", "sse2", "scalar"}}; }

TEST(PlanDrawing, ShowsCoresWorkersAndWhatDecided) {
  const Topology host = Topology::Exported("two_packages.xml");
  const auto plan = PlanWorkersOn(host.get(), Cpus(0, 16), 2.5, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(DrawPlan(*plan, Kernels()), R"(workers:   3, as many as the CPU quota keeps busy
machine:   8 cores, 16 CPUs, 2 nodes, 32.0 GiB
cpuset:    leaves out nothing
affinity:  leaves out nothing
CPU quota: 2.50 CPUs

node 0: 16.0 GiB for workers 0 2
    [w0: 0 8]  [w2: 1 9]  [--: 2 10] [--: 3 11]

node 1: 16.0 GiB for worker 1
    [w1: 4 12] [--: 5 13] [--: 6 14] [--: 7 15]

    [wN: A]    a core with worker N, which is pinned to its CPU A
    [wN: A B]  B shares the core with A and gets no worker
    [--: A]    a core that may be used, but has no worker

kernels:   avx2, the best here; usable: avx2 sse2 scalar
)");
}

TEST(PlanDrawing, ShowsWhatMayNotBeUsed) {
  const Topology host = Topology::Exported("restricted.xml");
  const auto plan = PlanWorkersOn(host.get(), {0, 3, 4, 5, 8, 9, 12}, std::nullopt, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(
      DrawPlan(*plan, {"sse2", "sse2", {"avx2", "sse2"}}),
      R"(workers:   5, one per core that the cpuset allows, one per core that the affinity allows
machine:   8 cores, 15 CPUs, 2 nodes, 32.0 GiB; offline: CPU 11
cpuset:    leaves out CPUs 0-1 6-7 13-15
affinity:  leaves out CPUs 2 10
CPU quota: none

node 0: 16.0 GiB for workers 0 2 4
    [w0: 8 (0)]    [w2: 9 (1)]    [xx: (2) (10)] [w4: 3]

node 1: 16.0 GiB that the cpuset leaves out: workers 1 3 with memory of other nodes
    [w1: 4 12]     [w3: 5 (13)]   [xx: (6) (14)] [xx: (7) (15)]

    [wN: A]    a core with worker N, which is pinned to its CPU A
    [wN: A B]  B shares the core with A and gets no worker
    [xx: (A)]  a core that the cpuset or the affinity leaves out
    (A)        a CPU that the cpuset or the affinity leaves out

kernels:   sse2, as --kernels says; usable: avx2 sse2
)");
}

TEST(PlanDrawing, ShowsNodesWithoutWorkers) {
  const Topology memory_only = Topology::Exported("memory_only_node.xml");
  const auto plan = PlanWorkersOn(memory_only.get(), {0, 1}, std::nullopt, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const std::string drawing = DrawPlan(*plan, Kernels());
  EXPECT_THAT(drawing, HasSubstr("node 1: 16.0 GiB, no usable core: not used\n"
                                 "    [xx: (2)] [xx: (3)]\n"));
  EXPECT_THAT(drawing, HasSubstr("node 2: 32.0 GiB, no core of its own: not used\n"));

  const Topology two_nodes = Topology::Exported("two_packages.xml");
  const auto one_worker = PlanWorkersOn(two_nodes.get(), Cpus(0, 16), std::nullopt, 1);
  ASSERT_TRUE(one_worker.ok()) << one_worker.status();
  EXPECT_THAT(DrawPlan(*one_worker, Kernels()),
              HasSubstr("node 1: 16.0 GiB, no worker: not used\n"));
}

TEST(PlanDrawing, MarksCoresInNoNode) {
  const Topology host = Topology::Exported("node_missing.xml");
  const auto plan = PlanWorkersOn(host.get(), Cpus(0, 4), std::nullopt, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const std::string drawing = DrawPlan(*plan, Kernels());
  EXPECT_THAT(drawing, HasSubstr("    [w0: 0]  [w1: 1]  [w2: 2?] [w3: 3?]\n"));
  EXPECT_THAT(drawing, HasSubstr("    ?          the machine does not say in which node"));
}

TEST(PlanDrawing, BreaksLongRowsOfCores) {
  const Topology large = Topology::Synthetic("package:1 [numa] core:64 pu:2");
  const auto plan = PlanWorkersOn(large.get(), Cpus(0, 128), std::nullopt, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const std::string drawing = DrawPlan(*plan, Kernels());
  size_t begin = 0;
  while (begin < drawing.size()) {
    const size_t end = drawing.find('\n', begin);
    if (drawing[begin] == ' ') {
      EXPECT_LE(end - begin, 94u);
    }
    begin = end + 1;
  }
  EXPECT_THAT(drawing, HasSubstr("[w63: 126 127]\n"));
}

TEST(PlanDrawing, TheManualShowsOne) {
  const Topology host = Topology::Exported("restricted.xml");
  const auto plan = PlanWorkersOn(host.get(), Cpus(0, 16), std::nullopt, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  std::ostringstream manual;
  manual << std::ifstream(PARITY_MANUAL).rdbuf();
  EXPECT_THAT(
      manual.str(),
      HasSubstr(DrawPlan(*plan, {"auto", "avx2", {"avx2", "avx", "ssse3", "sse2", "scalar"}})));
}

TEST(PlanDrawing, JsonHoldsTheSame) {
  const Topology host = Topology::Exported("restricted.xml");
  const auto plan = PlanWorkersOn(host.get(), {3, 4, 8, 12, 13}, 1.5, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const auto json = nlohmann::json::parse(PlanAsJson(*plan, Kernels()));
  EXPECT_EQ(json["workers"], nlohmann::json::parse(R"([{"id": 0, "cpu": 8, "node": 0},
                                                       {"id": 1, "cpu": 4, "node": 1}])"));
  EXPECT_EQ(json["decided_by"], nlohmann::json({"quota"}));
  EXPECT_EQ(json["usable_cores"], 3);
  EXPECT_EQ(json["asked_workers"], nullptr);
  EXPECT_EQ(json["cpu_quota"], 1.5);
  EXPECT_EQ(json["outside_cpuset"], nlohmann::json({0, 1, 6, 7, 13, 14, 15}));
  EXPECT_EQ(json["outside_affinity"], nlohmann::json({2, 5, 9, 10}));
  EXPECT_EQ(json["offline_cpus"], nlohmann::json({11}));
  ASSERT_EQ(json["nodes"].size(), 2u);
  EXPECT_EQ(json["nodes"][1]["id"], 1);
  EXPECT_EQ(json["nodes"][1]["memory_bytes"], uint64_t{16} << 30);
  EXPECT_EQ(json["nodes"][1]["memory_allowed"], false);
  EXPECT_EQ(
      json["nodes"][0]["cores"][0],
      nlohmann::json::parse(R"({"cpus": [8], "barred_cpus": [0], "worker": 0, "in_node": true})"));
  EXPECT_EQ(json["nodes"][0]["cores"][3]["worker"], nullptr);
  EXPECT_EQ(json["kernels"], nlohmann::json::parse(R"({"asked": "auto", "selected": "avx2",
                                                      "usable": ["avx2", "sse2", "scalar"]})"));
}

TEST(PlanDrawing, JsonOfANumberAskedFor) {
  const Topology host = Topology::Exported("two_packages.xml");
  const auto plan = PlanWorkersOn(host.get(), Cpus(0, 16), std::nullopt, 2);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const auto json = nlohmann::json::parse(PlanAsJson(*plan, Kernels()));
  EXPECT_EQ(json["asked_workers"], 2);
  EXPECT_EQ(json["decided_by"], nlohmann::json({"workers"}));
  EXPECT_EQ(json["cpu_quota"], nullptr);
}

}  // namespace
}  // namespace parity::engine
