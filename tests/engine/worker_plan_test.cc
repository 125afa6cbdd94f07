#include "parity/engine/worker_plan.h"

#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parity/codec/field_error.h"
#include "topology.h"

namespace parity::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::vector<std::pair<uint32_t, uint32_t>> Places(const WorkerPlan& plan) {
  std::vector<std::pair<uint32_t, uint32_t>> places;
  for (const auto& worker : plan.workers) places.emplace_back(worker.cpu, worker.node);
  return places;
}

TEST(WorkerPlan, OneWorkerPerCoreAlternatingBetweenNodes) {
  const Topology two_nodes = Topology::Synthetic("package:2 [numa] core:2 pu:1");
  const auto plan = PlanWorkersOn(two_nodes.get(), Cpus(0, 4), std::nullopt, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(Places(*plan), ElementsAre(std::pair(0u, 0u), std::pair(2u, 1u), std::pair(1u, 0u),
                                         std::pair(3u, 1u)));
  ASSERT_EQ(plan->nodes.size(), 2u);
  EXPECT_THAT(plan->nodes[1].cpus, ElementsAre(2, 3));
}

TEST(WorkerPlan, HyperthreadsOfACoreShareOneWorker) {
  const Topology smt = Topology::Synthetic("package:1 [numa] core:4 pu:2");
  const auto plan = PlanWorkersOn(smt.get(), Cpus(0, 8), std::nullopt, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->workers.size(), 4u);
}

TEST(WorkerPlan, HolesInTheCpusetAreRespected) {
  const Topology smt = Topology::Synthetic("package:2 [numa] core:4 pu:2");
  // The second thread of core 0, and one core of the other node.
  const auto plan = PlanWorkersOn(smt.get(), {1, 10, 11}, std::nullopt, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(Places(*plan), ElementsAre(std::pair(1u, 0u), std::pair(10u, 1u)));
  EXPECT_THAT(plan->nodes[1].cpus, ElementsAre(10, 11));
}

TEST(WorkerPlan, ANodeWithoutUsableCpusIsLeftOut) {
  const Topology two_nodes = Topology::Synthetic("package:2 [numa] core:2 pu:1");
  const auto plan = PlanWorkersOn(two_nodes.get(), {3}, std::nullopt, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->nodes.size(), 1u);
  EXPECT_EQ(plan->nodes[0].id, 1u);
}

TEST(WorkerPlan, AQuotaLimitsTheWorkersRoundedUp) {
  const Topology machine = Topology::Synthetic("package:1 [numa] core:8 pu:1");
  for (const auto& [quota, workers] :
       {std::pair(0.2, 1u), std::pair(1.0, 1u), std::pair(1.5, 2u), std::pair(100.0, 8u)}) {
    const auto plan = PlanWorkersOn(machine.get(), Cpus(0, 8), quota, std::nullopt);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->workers.size(), workers) << quota;
  }
}

TEST(WorkerPlan, TheNumberAskedForHoldsToItsEdges) {
  const Topology machine = Topology::Synthetic("package:1 [numa] core:4 pu:1");
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

TEST(WorkerPlan, SaysWhatDecidedTheNumber) {
  const Topology machine = Topology::Synthetic("package:1 [numa] core:4 pu:2");
  const auto decided_by = [&machine](const std::vector<uint32_t>& cpus, std::optional<double> quota,
                                     std::optional<uint32_t> asked) {
    return PlanWorkersOn(machine.get(), cpus, quota, asked)->DecidedBy();
  };
  EXPECT_THAT(decided_by(Cpus(0, 8), std::nullopt, std::nullopt), ElementsAre("cores"));
  EXPECT_THAT(decided_by(Cpus(0, 8), 4.0, std::nullopt), ElementsAre("cores"));
  EXPECT_THAT(decided_by(Cpus(0, 8), 3.0, std::nullopt), ElementsAre("quota"));
  EXPECT_THAT(decided_by(Cpus(0, 8), 3.0, 2), ElementsAre("workers"));
  EXPECT_THAT(decided_by(Cpus(0, 6), std::nullopt, std::nullopt), ElementsAre("affinity"));
  EXPECT_THAT(decided_by(Cpus(0, 6), 2.5, std::nullopt), ElementsAre("affinity"));
  EXPECT_THAT(decided_by(Cpus(0, 6), 0.5, std::nullopt), ElementsAre("quota"));
  // Without the second CPU of a core there are as many workers as with it.
  EXPECT_THAT(decided_by(Cpus(0, 7), std::nullopt, std::nullopt), ElementsAre("cores"));
}

TEST(WorkerPlan, QuotasOnTwoNodesWithHyperthreads) {
  const Topology machine = Topology::Synthetic("package:2 [numa] l3:1 core:4 pu:2");
  const auto places = [&machine](double quota) {
    return Places(*PlanWorkersOn(machine.get(), Cpus(0, 16), quota, std::nullopt));
  };
  EXPECT_THAT(places(0.5), ElementsAre(Pair(0, 0)));
  EXPECT_THAT(places(1.5), ElementsAre(Pair(0, 0), Pair(8, 1)));
  EXPECT_THAT(places(3), ElementsAre(Pair(0, 0), Pair(8, 1), Pair(2, 0)));
}

TEST(WorkerPlan, OneCorePerNode) {
  const Topology machine = Topology::Synthetic("package:4 [numa] core:1 pu:1");
  const auto plan = PlanWorkersOn(machine.get(), Cpus(0, 4), std::nullopt, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(Places(*plan), ElementsAre(Pair(0, 0), Pair(1, 1), Pair(2, 2), Pair(3, 3)));
}

TEST(WorkerPlan, NodesOfUnequalSizeFillUp) {
  const Topology machine = Topology::Synthetic("package:2 [numa] core:3 pu:1");
  const auto plan = PlanWorkersOn(machine.get(), {0, 3, 4, 5}, std::nullopt, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(Places(*plan), ElementsAre(Pair(0, 0), Pair(3, 1), Pair(4, 1), Pair(5, 1)));
}

TEST(WorkerPlan, SiblingsNumberedTheWayLinuxDoes) {
  const Topology host = Topology::Exported("two_packages.xml");
  const auto plan = PlanWorkersOn(host.get(), Cpus(0, 16), std::nullopt, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(Places(*plan), ElementsAre(Pair(0, 0), Pair(4, 1), Pair(1, 0), Pair(5, 1), Pair(2, 0),
                                         Pair(6, 1), Pair(3, 0), Pair(7, 1)));
  EXPECT_THAT(plan->nodes[1].cpus, ElementsAre(4, 5, 6, 7, 12, 13, 14, 15));
  EXPECT_THAT(plan->nodes[1].cores[0].cpus, ElementsAre(4, 12));
}

TEST(WorkerPlan, CpusetHolesAndOfflineCpus) {
  const Topology host = Topology::Exported("restricted.xml");
  const auto plan = PlanWorkersOn(host.get(), Cpus(0, 16), std::nullopt, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  // The worker of a core whose first CPU is left out runs on the second one.
  EXPECT_THAT(Places(*plan),
              ElementsAre(Pair(8, 0), Pair(4, 1), Pair(9, 0), Pair(5, 1), Pair(2, 0), Pair(3, 0)));
  EXPECT_THAT(plan->bounds.offline_cpus, ElementsAre(11));
  EXPECT_THAT(plan->bounds.outside_cpuset, ElementsAre(0, 1, 6, 7, 13, 14, 15));
  EXPECT_THAT(plan->bounds.outside_affinity, IsEmpty());
  EXPECT_THAT(plan->DecidedBy(), ElementsAre("cpuset"));
  EXPECT_TRUE(plan->nodes[0].memory_allowed);
  EXPECT_FALSE(plan->nodes[1].memory_allowed);

  const auto narrower =
      PlanWorkersOn(host.get(), {0, 3, 4, 5, 8, 9, 11, 12}, std::nullopt, std::nullopt);
  ASSERT_TRUE(narrower.ok()) << narrower.status();
  EXPECT_THAT(narrower->bounds.outside_affinity, ElementsAre(2, 10));
  EXPECT_THAT(narrower->DecidedBy(), ElementsAre("cpuset", "affinity"));
  EXPECT_EQ(narrower->workers.size(), 5u);
}

TEST(WorkerPlan, ANodeWithoutCpusHasNoWorker) {
  const Topology host = Topology::Exported("memory_only_node.xml");
  const auto plan = PlanWorkersOn(host.get(), Cpus(0, 4), std::nullopt, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(Places(*plan), ElementsAre(Pair(0, 0), Pair(2, 1), Pair(1, 0), Pair(3, 1)));
  ASSERT_EQ(plan->idle_nodes.size(), 1u);
  EXPECT_EQ(plan->idle_nodes[0].id, 2u);
  EXPECT_THAT(plan->idle_nodes[0].cores, IsEmpty());
}

TEST(WorkerPlan, OfTwoMemoriesOfACoreTheFirstIsItsNode) {
  const Topology hbm = Topology::Synthetic(
      "package:2 [numa(memory=68719476736)] [numa(memory=17179869184)] core:2 pu:1");
  const auto plan = PlanWorkersOn(hbm.get(), Cpus(0, 4), std::nullopt, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->nodes.size(), 2u);
  ASSERT_EQ(plan->idle_nodes.size(), 2u);
  EXPECT_EQ(plan->workers.size(), 4u);
  for (const auto& node : plan->nodes) EXPECT_EQ(node.memory_bytes, uint64_t{68719476736});
}

TEST(WorkerPlan, CpusInNoNodeWorkWithMemoryOfTheFirst) {
  const Topology host = Topology::Exported("node_missing.xml");
  const auto plan = PlanWorkersOn(host.get(), Cpus(0, 4), std::nullopt, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(Places(*plan), ElementsAre(Pair(0, 0), Pair(1, 0), Pair(2, 0), Pair(3, 0)));
  EXPECT_TRUE(plan->nodes[0].cores[1].in_node);
  EXPECT_FALSE(plan->nodes[0].cores[2].in_node);

  // Even if those are all that may be used.
  const auto only = PlanWorkersOn(host.get(), {2, 3}, std::nullopt, std::nullopt);
  ASSERT_TRUE(only.ok()) << only.status();
  EXPECT_THAT(Places(*only), ElementsAre(Pair(2, 0), Pair(3, 0)));
}

TEST(WorkerPlan, CpusThatTheMachineDoesNotHaveAreNotUsed) {
  const Topology machine = Topology::Synthetic("package:1 [numa] core:2 pu:1");
  const auto plan = PlanWorkersOn(machine.get(), {1, 7}, std::nullopt, std::nullopt);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(Places(*plan), ElementsAre(Pair(1, 0)));
}

TEST(WorkerPlan, NoUsableCoreIsAnError) {
  const Topology machine = Topology::Synthetic("package:1 [numa] core:4 pu:1");
  EXPECT_FALSE(PlanWorkersOn(machine.get(), {}, std::nullopt, std::nullopt).ok());
}

TEST(WorkerPlan, SaysWhatItIs) {
  const Topology two_nodes = Topology::Synthetic("package:2 [numa(memory=2147483648)] core:2 pu:1");
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
