#include "region_allocator.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace parity::client {
namespace {

constexpr size_t kPage = 16;

TEST(RegionAllocator, PiecesNeverOverlapAndAllOfThemComeBack) {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    std::vector<uint8_t> memory(kPage * (1 + random() % 200));
    RegionAllocator allocator(absl::MakeSpan(memory), kPage);
    std::map<uint8_t*, size_t> given;  // bytes asked for
    size_t used = 0;
    for (int step = 0; step < 2'000; ++step) {
      if (random() % 2 == 0 || given.empty()) {
        const size_t bytes = random() % (10 * kPage);
        const size_t whole = bytes == 0 ? kPage : (bytes + kPage - 1) / kPage * kPage;
        uint8_t* const data = allocator.Allocate(bytes);
        if (data == nullptr) continue;
        ASSERT_EQ((data - memory.data()) % kPage, 0u);
        ASSERT_GE(data, memory.data());
        ASSERT_LE(data + whole, memory.data() + memory.size());
        const auto next = given.lower_bound(data);
        if (next != given.end()) {
          ASSERT_LE(data + whole, next->first);
        }
        if (next != given.begin()) {
          const auto before = std::prev(next);
          ASSERT_LE(before->first + std::max<size_t>(before->second, 1), data);
        }
        given.emplace(data, bytes);
        used += whole;
      } else {
        auto one = given.begin();
        std::advance(one, random() % given.size());
        allocator.Free(one->first, one->second);
        used -= one->second == 0 ? kPage : (one->second + kPage - 1) / kPage * kPage;
        given.erase(one);
      }
      ASSERT_EQ(allocator.free_bytes(), memory.size() - used);
    }
    for (const auto& [data, bytes] : given) allocator.Free(data, bytes);
    EXPECT_EQ(allocator.Allocate(memory.size()), memory.data());
    EXPECT_EQ(allocator.Allocate(1), nullptr);
  }
}

TEST(RegionAllocator, RefusesWhatIsLongerThanTheMemory) {
  std::vector<uint8_t> memory(4 * kPage);
  RegionAllocator allocator(absl::MakeSpan(memory), kPage);
  EXPECT_EQ(allocator.Allocate(4 * kPage + 1), nullptr);
  EXPECT_EQ(allocator.Allocate(SIZE_MAX), nullptr);
  RegionAllocator empty({}, kPage);
  EXPECT_EQ(empty.Allocate(0), nullptr);
}

TEST(RegionAllocator, MayBeUsedByManyThreads) {
  std::vector<uint8_t> memory(64 * kPage);
  RegionAllocator allocator(absl::MakeSpan(memory), kPage);
  std::vector<std::thread> threads;
  for (uint8_t id = 1; id <= 4; ++id) {
    threads.emplace_back([&allocator, id] {
      std::mt19937 random(id);
      for (int i = 0; i < 5'000; ++i) {
        const size_t bytes = 1 + random() % (20 * kPage);
        uint8_t* const data = allocator.Allocate(bytes);
        if (data == nullptr) continue;
        std::fill(data, data + bytes, id);
        EXPECT_EQ(std::count(data, data + bytes, id), static_cast<ptrdiff_t>(bytes));
        allocator.Free(data, bytes);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(allocator.free_bytes(), memory.size());
}

}  // namespace
}  // namespace parity::client
