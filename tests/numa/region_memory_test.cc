// Memory shared with a client lies on the node that it asks for, or on its own.
#include <sched.h>
#include <sys/mman.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "node_pages.h"
#include "parity/client/ring.h"
#include "parity/engine/pinning.h"
#include "parity/engine/worker_plan.h"
#include "parity/kernels/dispatch.h"
#include "parity/rings/server.h"

namespace parity {
namespace {

constexpr uint64_t kRegionBytes = 8 << 20;

class RegionMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* why = WhyNodesAreUnknown(); why != nullptr) GTEST_SKIP() << why;
    auto plan = engine::PlanWorkers(std::nullopt);
    ASSERT_TRUE(plan.ok()) << plan.status();
    rings::ServerOptions options;
    options.plan = plan_ = *std::move(plan);
    options.table = *kernels::SelectTable("auto");
    options.limits.max_regions_bytes = 128 << 20;
    options.paths = {path_};
    auto server = rings::Server::Start(options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  // A region as asked for lies on `node`.
  void ExpectRegionOn(uint32_t node, std::optional<uint32_t> asked) {
    client::RingOptions options;
    options.target = "unix:" + path_;
    options.region_bytes = kRegionBytes;
    options.node = asked;
    const auto ring = client::Ring::Connect(options);
    ASSERT_TRUE(ring.ok()) << ring.status();
    EXPECT_EQ((*ring)->node(), node);
    const absl::Span<uint8_t> memory = (*ring)->memory();
    // In this process's page table too, which is what the kernel is asked about.
    for (size_t at = 0; at < memory.size(); at += 4096) memory[at] = 1;
    ExpectOn(node, memory.data(), memory.size());
  }

  const std::string path_ = testing::TempDir() + "region_memory.sock";
  engine::WorkerPlan plan_;
  std::unique_ptr<rings::Server> server_;
};

TEST_F(RegionMemory, LiesOnTheNodeAskedFor) {
  for (const engine::WorkerPlan::Node& node : plan_.nodes) ExpectRegionOn(node.id, node.id);
}

TEST_F(RegionMemory, LiesOnTheClientsNodeIfItAsksForNone) {
  for (const engine::WorkerPlan::Worker& worker : plan_.workers) {
    std::thread([this, &worker] {
      ASSERT_TRUE(engine::PinThread(worker.cpu).ok());
      ExpectRegionOn(worker.node, std::nullopt);
    }).join();
  }
}

}  // namespace
}  // namespace parity
