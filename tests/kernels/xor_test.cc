#include <isa-l/raid.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "every_table.h"
#include "gtest/gtest.h"
#include "memory.h"

namespace parity::kernels {
namespace {

constexpr uint8_t kUntouched = 0xa5;
constexpr size_t kLongest = 4097;

std::vector<uint8_t> Expected(const std::vector<const uint8_t*>& sources, size_t bytes) {
  std::vector<uint8_t> sum(bytes);
  for (const uint8_t* source : sources) {
    for (size_t i = 0; i < bytes; ++i) sum[i] ^= source[i];
  }
  return sum;
}

// k sources in one block of noise, `skew` bytes out of step with each other.
std::vector<const uint8_t*> SourcesIn(const std::vector<uint8_t>& noise, size_t k, size_t bytes,
                                      size_t skew) {
  std::vector<const uint8_t*> sources;
  for (size_t j = 0; j < k; ++j) sources.push_back(noise.data() + j * (bytes + skew));
  return sources;
}

class Xor : public TableTest {
 protected:
  void Run(uint8_t* dst, const std::vector<const uint8_t*>& sources, size_t bytes) const {
    const XorJob job = {dst, sources.data(), sources.size(), bytes};
    table().xor_generate(&job, 1);
  }
};

TEST_P(Xor, GivesTheOracleBytesForEveryLength) {
  for (const size_t k : {1, 2, 3, 7, 8, 10}) {
    const std::vector<uint8_t> noise = Noise(k * (kLongest + 3), static_cast<uint32_t>(k));
    const std::vector<const uint8_t*> sources = SourcesIn(noise, k, kLongest, 3);
    const std::vector<uint8_t> expected = Expected(sources, kLongest);
    std::vector<uint8_t> dst(kLongest + 1);
    for (size_t bytes = 0; bytes <= kLongest; ++bytes) {
      std::fill(dst.begin(), dst.end(), kUntouched);
      Run(dst.data(), sources, bytes);
      ASSERT_EQ(std::memcmp(dst.data(), expected.data(), bytes), 0) << k << " x " << bytes;
      ASSERT_EQ(dst[bytes], kUntouched) << k << " x " << bytes;
    }
  }
}

TEST_P(Xor, TakesAnyNumberOfSources) {
  constexpr size_t kMostSources = 255;
  const std::vector<uint8_t> noise = Noise(kMostSources * 5120, 1);
  for (const size_t bytes : {1, 3, 31, 64, 100, 600, 1000, 5000}) {
    std::vector<uint8_t> expected(bytes);
    for (size_t k = 1; k <= kMostSources; ++k) {
      const std::vector<const uint8_t*> sources = SourcesIn(noise, k, bytes, 7);
      for (size_t i = 0; i < bytes; ++i) expected[i] ^= sources.back()[i];
      std::vector<uint8_t> dst(bytes);
      Run(dst.data(), sources, bytes);
      ASSERT_EQ(dst, expected) << k << " x " << bytes;
    }
  }
}

TEST_P(Xor, TakesAnyAlignment) {
  constexpr size_t kSources = 3;
  const std::vector<uint8_t> noise = Noise(kSources * 6144 + 64, 2);
  const size_t to_aligned = -reinterpret_cast<uintptr_t>(noise.data()) % 64;
  std::vector<uint8_t> block(6144 + 128);
  const size_t dst_to_aligned = -reinterpret_cast<uintptr_t>(block.data()) % 64;
  for (const size_t bytes : {40, 200, 511, 512, 700, 1030, 4096, 5000}) {
    for (size_t source_residue = 0; source_residue < 64; ++source_residue) {
      std::vector<const uint8_t*> sources;
      for (size_t j = 0; j < kSources; ++j) {
        sources.push_back(noise.data() + to_aligned + source_residue + j * 6144);
      }
      const std::vector<uint8_t> expected = Expected(sources, bytes);
      for (size_t residue = 0; residue < 64; ++residue) {
        uint8_t* dst = block.data() + dst_to_aligned + residue;
        std::fill(block.begin(), block.end(), kUntouched);
        Run(dst, sources, bytes);
        ASSERT_EQ(std::memcmp(dst, expected.data(), bytes), 0)
            << bytes << " bytes at " << residue << " from " << source_residue;
        const bool untouched =
            (dst == block.data() || dst[-1] == kUntouched) && dst[bytes] == kUntouched;
        ASSERT_TRUE(untouched) << bytes << " bytes at " << residue << " from " << source_residue;
      }
    }
  }
}

TEST_P(Xor, StaysInsideItsBuffers) {
  constexpr size_t kSources = 5;
  constexpr size_t kPages = 4200;
  std::vector<std::unique_ptr<GuardedPages>> pages;
  for (size_t i = 0; i <= kSources; ++i) {
    pages.push_back(std::make_unique<GuardedPages>(kPages));
    const std::vector<uint8_t> noise =
        Noise(static_cast<size_t>(pages[i]->end() - pages[i]->start()), static_cast<uint32_t>(i));
    std::copy(noise.begin(), noise.end(), pages[i]->start());
  }
  std::vector<size_t> lengths;
  for (size_t bytes = 0; bytes <= 600; ++bytes) lengths.push_back(bytes);
  for (size_t bytes = 4030; bytes <= kPages; ++bytes) lengths.push_back(bytes);

  for (const size_t bytes : lengths) {
    for (const bool at_end : {false, true}) {
      std::vector<uint8_t*> runs;
      for (const auto& run : pages) runs.push_back(at_end ? run->end() - bytes : run->start());
      const std::vector<const uint8_t*> sources(runs.begin() + 1, runs.end());
      const std::vector<uint8_t> expected = Expected(sources, bytes);
      Run(runs[0], sources, bytes);
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), runs[0])) << bytes;
    }
  }
}

TEST_P(Xor, MayOverwriteAnyOfItsSources) {
  constexpr size_t kMaxBytes = 5000;
  for (const size_t k : {1, 2, 3, 9}) {
    const std::vector<uint8_t> noise = Noise(k * (kMaxBytes + 5), static_cast<uint32_t>(k));
    for (size_t bytes = 1; bytes <= kMaxBytes; bytes += bytes < 1100 ? 1 : 97) {
      for (size_t overwritten = 0; overwritten < k; ++overwritten) {
        std::vector<uint8_t> block = noise;
        const std::vector<const uint8_t*> sources = SourcesIn(block, k, kMaxBytes, 5);
        const std::vector<uint8_t> expected = Expected(sources, bytes);
        uint8_t* dst = block.data() + overwritten * (kMaxBytes + 5);
        Run(dst, sources, bytes);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), dst))
            << k << " x " << bytes << " over source " << overwritten;
        ASSERT_TRUE(std::equal(block.begin(), block.begin() + (dst - block.data()), noise.begin()));
        ASSERT_TRUE(std::equal(dst + bytes, block.data() + block.size(),
                               noise.data() + (dst - block.data()) + bytes));
      }
    }
  }
}

TEST_P(Xor, RunsTheJobsOfABatchInOrder) {
  constexpr size_t kJobs = 200;
  std::mt19937 random(3);
  std::vector<uint8_t> block = Noise(65536, 4);
  std::vector<uint8_t> expected = block;
  std::vector<std::vector<const uint8_t*>> sources(kJobs);
  std::vector<XorJob> jobs;
  // Every job reads from anywhere, what earlier jobs wrote included, and writes to its own place.
  for (size_t i = 0; i < kJobs; ++i) {
    const size_t bytes = random() % 300;
    const size_t dst = i * 300;
    std::vector<uint8_t> sum(bytes);
    for (size_t j = 0; j < 1 + random() % 12; ++j) {
      size_t at = random() % (block.size() - 300);
      if (at + 300 > dst && at < dst + 300) at = dst;
      sources[i].push_back(block.data() + at);
      for (size_t byte = 0; byte < bytes; ++byte) sum[byte] ^= expected[at + byte];
    }
    std::copy(sum.begin(), sum.end(), expected.begin() + static_cast<ptrdiff_t>(dst));
    jobs.push_back({block.data() + dst, sources[i].data(), sources[i].size(), bytes});
  }
  table().xor_generate(jobs.data(), jobs.size());
  EXPECT_EQ(block, expected);
}

TEST_P(Xor, TouchesNoMemoryForZeroBytesOrNoJobs) {
  const uint8_t* source = nullptr;
  const XorJob job = {nullptr, &source, 1, 0};
  table().xor_generate(&job, 1);
  table().xor_generate(nullptr, 0);
}

// ISA-L's xor_gen wants 32-byte aligned pointers.
TEST_P(Xor, MatchesIsaL) {
  constexpr size_t kMaxBytes = 8192;
  for (const size_t k : {2, 3, 4, 10, 16, 33}) {
    GuardedPages pages((k + 2) * kMaxBytes);
    const std::vector<uint8_t> noise = Noise((k + 2) * kMaxBytes, static_cast<uint32_t>(k));
    std::copy(noise.begin(), noise.end(), pages.start());
    std::vector<void*> shards;
    std::vector<const uint8_t*> sources;
    for (size_t j = 0; j <= k; ++j) {
      shards.push_back(pages.start() + j * kMaxBytes);
      if (j < k) sources.push_back(pages.start() + j * kMaxBytes);
    }
    uint8_t* dst = pages.start() + (k + 1) * kMaxBytes;
    for (const size_t bytes : {1, 17, 32, 64, 100, 512, 1000, 4096, 4097, 8192}) {
      ASSERT_EQ(xor_gen(static_cast<int>(k + 1), static_cast<int>(bytes), shards.data()), 0);
      Run(dst, sources, bytes);
      ASSERT_EQ(std::memcmp(dst, shards[k], bytes), 0) << k << " x " << bytes;
    }
  }
}

INSTANTIATE_FOR_EVERY_TABLE(Xor);

}  // namespace
}  // namespace parity::kernels
