#include "parity/engine/buffer_pool.h"

#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace parity::engine {
namespace {

TEST(BufferPool, GivesPageAlignedBuffersOfTheSizeAskedFor) {
  const auto pool = BufferPool::Make(1 << 20);
  for (size_t bytes : {size_t{1}, size_t{4095}, size_t{4096}, size_t{4097}, size_t{1'000'000}}) {
    const Buffer buffer = pool->Get(bytes);
    ASSERT_NE(buffer.data(), nullptr);
    EXPECT_EQ(buffer.bytes(), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % 4096, 0u);
    std::memset(buffer.data(), 0xab, bytes);
  }
}

TEST(BufferPool, ReusesWhatCameBack) {
  const auto pool = BufferPool::Make(1 << 20);
  const uint8_t* first = pool->Get(100'000).data();
  EXPECT_EQ(pool->idle_bytes(), size_t{131'072});
  EXPECT_EQ(pool->Get(131'072).data(), first);
}

TEST(BufferPool, KeepsNoMoreThanItMay) {
  const auto pool = BufferPool::Make(8192);
  {
    const Buffer a = pool->Get(4096);
    const Buffer b = pool->Get(4096);
    const Buffer c = pool->Get(4096);
    const Buffer large = pool->Get(16'384);
  }
  EXPECT_EQ(pool->idle_bytes(), 8192u);
}

TEST(BufferPool, ASizeBeyondAllMemoryGivesNoBuffer) {
  const auto pool = BufferPool::Make(0);
  EXPECT_EQ(pool->Get(SIZE_MAX).data(), nullptr);
}

TEST(BufferPool, OutlivesItsMaker) {
  Buffer buffer;
  {
    const auto pool = BufferPool::Make(1 << 20);
    buffer = pool->Get(10);
  }
  buffer.data()[9] = 1;
}

TEST(BufferPool, BuffersComeBackFromAnyThread) {
  const auto pool = BufferPool::Make(1 << 20);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&pool] {
      for (int i = 0; i < 1000; ++i) {
        Buffer buffer = pool->Get(1 + static_cast<size_t>(i) * 37 % 20'000);
        buffer.data()[0] = 1;
        std::thread([moved = std::move(buffer)] {}).join();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(pool->idle_bytes(), size_t{1} << 20);
}

}  // namespace
}  // namespace parity::engine
