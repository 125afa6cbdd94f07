// Every worker's memory lies on the worker's own NUMA node, asked page by page of the kernel
// (move_pages(2)). On a machine with one node most of it is skipped; tests/numa/run.sh runs it on
// an emulated one with two.
#include <malloc.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "node_pages.h"
#include "parity/engine/buffer_pool.h"
#include "parity/engine/thread_placement.h"
#include "parity/engine/worker_plan.h"
#include "refused_calls.h"

namespace parity::engine {
namespace {

// As gRPC's slices and parity buffers are: below a page and up to some MiB. Smaller blocks do
// change nodes: malloc keeps up to 1032 bytes with the thread that frees them.
constexpr size_t kSizes[] = {2'000, 5'000, 70'000, 300'000, 3'000'000};

void Touch(void* data, size_t bytes) { std::memset(data, 0x5a, bytes); }

struct Free {
  void operator()(void* data) const { std::free(data); }
};
struct Block {
  std::unique_ptr<void, Free> data;
  size_t bytes;
};

// One of each size, touched.
std::vector<Block> MallocedBlocks() {
  std::vector<Block> blocks;
  for (size_t bytes : kSizes) {
    blocks.push_back({std::unique_ptr<void, Free>(std::malloc(bytes)), bytes});
    Touch(blocks.back().data.get(), bytes);
  }
  return blocks;
}
std::vector<Buffer> PooledBuffers(BufferPool& pool) {
  std::vector<Buffer> buffers;
  for (size_t bytes : kSizes) {
    buffers.push_back(pool.Get(bytes));
    Touch(buffers.back().data(), bytes);
  }
  return buffers;
}
void ExpectAllOn(uint32_t node, const std::vector<Block>& blocks,
                 const std::vector<Buffer>& buffers) {
  for (const Block& block : blocks) ExpectOn(node, block.data.get(), block.bytes);
  for (const Buffer& buffer : buffers) ExpectOn(node, buffer.data(), buffer.bytes());
}

// Threads that meet before each step.
class Meeting {
 public:
  explicit Meeting(size_t threads) : threads_(threads) {}
  void Await() {
    std::unique_lock<std::mutex> lock(mutex_);
    const size_t round = round_;
    if (++here_ == threads_) {
      here_ = 0;
      ++round_;
      all_here_.notify_all();
    } else {
      all_here_.wait(lock, [this, round] { return round_ != round; });
    }
  }

 private:
  const size_t threads_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  size_t here_ = 0;
  size_t round_ = 0;
};

class WorkerMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    auto plan = PlanWorkers(std::nullopt);
    ASSERT_TRUE(plan.ok()) << plan.status();
    // As parityd does: blocks that are mappings of their own would share huge pages with those of
    // other threads.
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    plan_ = *std::move(plan);
    if (const char* why = WhyNodesAreUnknown(); why != nullptr) GTEST_SKIP() << why;
  }

  // A worker of each of the first two nodes.
  std::optional<std::pair<WorkerPlan::Worker, WorkerPlan::Worker>> TwoNodes() const {
    if (plan_.nodes.size() < 2) return std::nullopt;
    return std::pair(plan_.workers[0], plan_.workers[1]);
  }

  // A thread for each worker, all at once, each placed on its own CPU and node as in the server,
  // with the memory that a server's worker has; then each has its neighbour's memory pass through
  // its hands, and takes new memory after that.
  void ExchangeAmongWorkers(const std::function<void()>& at_start) {
    const size_t count = plan_.workers.size();
    Meeting meeting(count);
    std::vector<std::vector<Block>> blocks(count);
    std::vector<std::vector<Buffer>> buffers(count);
    std::vector<std::thread> threads;
    for (size_t w = 0; w < count; ++w) {
      threads.emplace_back([&, w] {
        at_start();
        const WorkerPlan::Worker& place = plan_.workers[w];
        PlaceThread(place);
        const auto pool = BufferPool::Make(size_t{64} << 20);
        for (int round = 0; round < 5; ++round) {
          blocks[w] = MallocedBlocks();
          buffers[w] = PooledBuffers(*pool);
          ExpectAllOn(place.node, blocks[w], buffers[w]);
          meeting.Await();
          // The neighbour, who is on the next node, writes to it and lets go of it.
          const size_t neighbour = (w + 1) % count;
          for (const Block& block : blocks[neighbour]) Touch(block.data.get(), block.bytes);
          for (const Buffer& buffer : buffers[neighbour]) Touch(buffer.data(), buffer.bytes());
          ExpectAllOn(plan_.workers[neighbour].node, blocks[neighbour], buffers[neighbour]);
          blocks[neighbour].clear();
          buffers[neighbour].clear();
          meeting.Await();
        }
        EXPECT_GT(pool->idle_bytes(), 0u);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  WorkerPlan plan_;
};

TEST_F(WorkerMemory, StaysOnItsNodeWhileItPassesBetweenWorkers) {
  ExchangeAmongWorkers([] {});
}

TEST_F(WorkerMemory, FirstTouchAloneKeepsItThereWhenThePolicyIsRefused) {
  ExchangeAmongWorkers([] {
    EXPECT_TRUE(RefuseCalls({SYS_set_mempolicy, SYS_mbind}, EPERM)) << "no seccomp";
  });
}

TEST_F(WorkerMemory, ThePolicyAloneKeepsItThereWhenPinningIsRefused) {
  const auto two = TwoNodes();
  if (!two.has_value()) GTEST_SKIP() << "one node";
  std::thread([&two] {
    // Where the scheduler might have left an unpinned worker: on the other node.
    cpu_set_t other;
    CPU_ZERO(&other);
    CPU_SET(two->second.cpu, &other);
    ASSERT_EQ(sched_setaffinity(0, sizeof other, &other), 0);
    ASSERT_TRUE(RefuseCalls({SYS_sched_setaffinity}, EPERM)) << "no seccomp";
    const Placement placement = PlaceThread(two->first);
    EXPECT_FALSE(placement.cpu.ok());
    EXPECT_TRUE(placement.memory.ok()) << placement.memory;
    ExpectAllOn(two->first.node, MallocedBlocks(), PooledBuffers(*BufferPool::Make(1 << 20)));
  }).join();
}

// So that the tests above can fail.
TEST_F(WorkerMemory, WithoutPlacementItLiesOnTheNodeThatTouchesIt) {
  const auto two = TwoNodes();
  if (!two.has_value()) GTEST_SKIP() << "one node";
  for (const WorkerPlan::Worker& toucher : {two->first, two->second}) {
    constexpr size_t kBytes = 1 << 20;
    void* data = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(data, MAP_FAILED);
    madvise(data, kBytes, MADV_NOHUGEPAGE);  // none that other memory began
    EXPECT_EQ(NodesOfPages(data, kBytes).count(static_cast<int>(toucher.node)), 0u);
    std::thread([&toucher, data] {
      PlaceThread(toucher);
      Touch(data, kBytes);
    }).join();
    ExpectOn(toucher.node, data, kBytes);
    munmap(data, kBytes);
  }
}

}  // namespace
}  // namespace parity::engine
