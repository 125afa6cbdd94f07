#include "parity/engine/thread_placement.h"

#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parity/engine/memory_policy.h"
#include "parity/engine/worker_plan.h"
#include "refused_calls.h"

namespace parity::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

using Nodes = std::array<unsigned long, 16>;

WorkerPlan::Worker AWorker() { return PlanWorkers(std::nullopt)->workers.back(); }

TEST(MemoryPolicy, PrefersTheNodeForThisThreadOnly) {
  const WorkerPlan::Worker worker = AWorker();
  int before = 0;
  if (syscall(SYS_get_mempolicy, &before, nullptr, 0, nullptr, 0) != 0) {
    GTEST_SKIP() << "get_mempolicy: " << std::strerror(errno);
  }
  std::thread([&worker] {
    ASSERT_TRUE(PreferNode(worker.node).ok());
    int mode = 0;
    Nodes nodes{};
    ASSERT_EQ(syscall(SYS_get_mempolicy, &mode, nodes.data(), nodes.size() * 64, nullptr, 0), 0);
    EXPECT_EQ(mode, MPOL_PREFERRED);
    Nodes want{};
    want[worker.node / 64] = 1UL << (worker.node % 64);
    EXPECT_EQ(nodes, want);
  }).join();
  int after = -1;
  ASSERT_EQ(syscall(SYS_get_mempolicy, &after, nullptr, 0, nullptr, 0), 0);
  EXPECT_EQ(after, before);
}

TEST(MemoryPolicy, ANodeThatIsNotThereIsAnError) {
  EXPECT_FALSE(PreferNode(1023).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(PreferNode(1024)));
}

TEST(ThreadPlacement, PinsAndPrefers) {
  const WorkerPlan::Worker worker = AWorker();
  std::thread([&worker] {
    const Placement placement = PlaceThread(worker);
    EXPECT_TRUE(placement.cpu.ok()) << placement.cpu;
    EXPECT_TRUE(placement.memory.ok()) << placement.memory;
    EXPECT_EQ(sched_getcpu(), static_cast<int>(worker.cpu));
    EXPECT_THAT(NewWarnings(placement), IsEmpty());
  }).join();
}

TEST(ThreadPlacement, EitherHoldsWhereTheOtherIsRefused) {
  const WorkerPlan::Worker worker = AWorker();
  std::thread([&worker] {
    if (!RefuseCalls({SYS_sched_setaffinity}, EPERM)) GTEST_SKIP() << "no seccomp";
    const Placement placement = PlaceThread(worker);
    EXPECT_TRUE(absl::IsPermissionDenied(placement.cpu)) << placement.cpu;
    EXPECT_TRUE(placement.memory.ok()) << placement.memory;
  }).join();
  std::thread([&worker] {
    if (!RefuseCalls({SYS_set_mempolicy}, ENOSYS)) GTEST_SKIP() << "no seccomp";
    const Placement placement = PlaceThread(worker);
    EXPECT_TRUE(placement.cpu.ok()) << placement.cpu;
    EXPECT_TRUE(absl::IsUnimplemented(placement.memory)) << placement.memory;
  }).join();
}

TEST(ThreadPlacement, WarnsOnceOfEach) {
  const Placement no_memory{absl::OkStatus(), absl::PermissionDeniedError("policy")};
  const Placement nothing{absl::PermissionDeniedError("affinity"),
                          absl::PermissionDeniedError("policy")};
  EXPECT_THAT(NewWarnings(no_memory), ElementsAre(HasSubstr("PERMISSION_DENIED: policy")));
  EXPECT_THAT(NewWarnings(no_memory), IsEmpty());
  EXPECT_THAT(NewWarnings(nothing),
              ElementsAre(StartsWith("workers run unpinned: PERMISSION_DENIED: affinity")));
  EXPECT_THAT(NewWarnings(nothing), IsEmpty());
}

}  // namespace
}  // namespace parity::engine
