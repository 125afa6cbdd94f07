#include "parity/engine/pinning.h"

#include <pthread.h>
#include <sched.h>

#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "parity/engine/worker_plan.h"

namespace parity::engine {
namespace {

TEST(Pinning, TiesTheThreadToTheCpuAndNamesIt) {
  const auto plan = PlanWorkers(std::nullopt);
  ASSERT_TRUE(plan.ok());
  const uint32_t cpu = plan->workers.back().cpu;
  std::thread([cpu] {
    NameThread("a-name-longer-than-fifteen");
    ASSERT_TRUE(PinThread(cpu).ok());
    cpu_set_t set;
    ASSERT_EQ(pthread_getaffinity_np(pthread_self(), sizeof set, &set), 0);
    EXPECT_EQ(CPU_COUNT(&set), 1);
    EXPECT_TRUE(CPU_ISSET(cpu, &set));
    char name[16];
    ASSERT_EQ(pthread_getname_np(pthread_self(), name, sizeof name), 0);
    EXPECT_STREQ(name, "a-name-longer-t");
  }).join();
}

TEST(Pinning, ACpuThatIsNotThereIsAnErrorNotACrash) {
  std::thread([] { EXPECT_FALSE(PinThread(100'000).ok()); }).join();
}

}  // namespace
}  // namespace parity::engine
