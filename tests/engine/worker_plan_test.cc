#include "parity/engine/worker_plan.h"

#include <hwloc.h>

#include <memory>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parity/codec/field_error.h"

namespace parity::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Synthetic {
 public:
  explicit Synthetic(const char* description) {
    hwloc_topology_t topology;
    EXPECT_EQ(hwloc_topology_init(&topology), 0);
    EXPECT_EQ(hwloc_topology_set_synthetic(topology, description), 0);
    EXPECT_EQ(hwloc_topology_load(topology), 0);
    topology_ = topology;
  }
  ~Synthetic() { hwloc_topology_destroy(topology_); }
  hwloc_topology* get() const { return topology_; }

 private:
  hwloc_topology* topology_;
};

std::vector<uint32_t> Cpus(uint32_t first, uint32_t count) {
  std::vector<uint32_t> cpus(count);
  std::iota(cpus.begin(), cpus.end(), first);
  return cpus;
}

std::vector<std::pair<uint32_t, uint32_t>> Places(const WorkerPlan& plan) {
  std::vector<std::pair<uint32_t, uint32_t>> places;
  for (const auto& worker : plan.workers) places.emplace_back(worker.cpu, worker.node);
  return places;
}

TEST(WorkerPlan, OneWorkerPerCoreAlternatingBetweenNodes) {
  const Synthetic two_nodes("package:2 [numa] core:2 pu:1");
  const auto plan = PlanWorkersOn(two_nodes.get(), Cpus(0, 4), std::nullopt, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(Places(*plan), ElementsAre(std::pair(0u, 0u), std::pair(2u, 1u), std::pair(1u, 0u),
                                         std::pair(3u, 1u)));
  ASSERT_EQ(plan->nodes.size(), 2u);
  EXPECT_THAT(plan->nodes[1].cpus, ElementsAre(2, 3));
}

TEST(WorkerPlan, HyperthreadsOfACoreShareOneWorker) {
  const Synthetic smt("package:1 [numa] core:4 pu:2");
  const auto plan = PlanWorkersOn(smt.get(), Cpus(0, 8), std::nullopt, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->workers.size(), 4u);
}

TEST(WorkerPlan, HolesInTheCpusetAreRespected) {
  const Synthetic smt("package:2 [numa] core:4 pu:2");
  // The second thread of core 0, and one core of the other node.
  const auto plan = PlanWorkersOn(smt.get(), {1, 10, 11}, std::nullopt, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(Places(*plan), ElementsAre(std::pair(1u, 0u), std::pair(10u, 1u)));
  EXPECT_THAT(plan->nodes[1].cpus, ElementsAre(10, 11));
}

TEST(WorkerPlan, ANodeWithoutUsableCpusIsLeftOut) {
  const Synthetic two_nodes("package:2 [numa] core:2 pu:1");
  const auto plan = PlanWorkersOn(two_nodes.get(), {3}, std::nullopt, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->nodes.size(), 1u);
  EXPECT_EQ(plan->nodes[0].id, 1u);
}

TEST(WorkerPlan, AQuotaLimitsTheWorkersRoundedUp) {
  const Synthetic machine("package:1 [numa] core:8 pu:1");
  for (const auto& [quota, workers] :
       {std::pair(0.2, 1u), std::pair(1.0, 1u), std::pair(1.5, 2u), std::pair(100.0, 8u)}) {
    const auto plan = PlanWorkersOn(machine.get(), Cpus(0, 8), quota, std::nullopt);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->workers.size(), workers) << quota;
  }
}

TEST(WorkerPlan, TheNumberAskedForHoldsToItsEdges) {
  const Synthetic machine("package:1 [numa] core:4 pu:1");
  for (uint32_t asked : {0u, 1u, 4u, 5u}) {
    const auto plan = PlanWorkersOn(machine.get(), Cpus(0, 4), 1.0, asked);
    if (asked == 1 || asked == 4) {
      ASSERT_TRUE(plan.ok()) << plan.status();
      EXPECT_EQ(plan->workers.size(), asked);  // over the quota, since it was asked for
    } else {
      EXPECT_TRUE(absl::IsInvalidArgument(plan.status()));
      EXPECT_EQ(codec::FieldOf(plan.status()), "workers");
      EXPECT_THAT(std::string(plan.status().message()), HasSubstr("1 to 4"));
    }
  }
}

TEST(WorkerPlan, NoUsableCoreIsAnError) {
  const Synthetic machine("package:1 [numa] core:4 pu:1");
  EXPECT_FALSE(PlanWorkersOn(machine.get(), {}, std::nullopt, std::nullopt).ok());
}

TEST(WorkerPlan, SaysWhatItIs) {
  const Synthetic two_nodes("package:2 [numa(memory=2147483648)] core:2 pu:1");
  const auto plan = PlanWorkersOn(two_nodes.get(), Cpus(0, 4), std::nullopt, 3);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->ToString(),
            "node 0: cpus 0 1, 2.0 GiB, workers 0 2; node 1: cpus 2 3, 2.0 GiB, workers 1");
}

TEST(WorkerPlan, ThisMachineHasOne) {
  const auto plan = PlanWorkers(std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_FALSE(plan->workers.empty());
  EXPECT_FALSE(plan->nodes.empty());
}

}  // namespace
}  // namespace parity::engine
