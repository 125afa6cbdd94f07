#include <isa-l/erasure_code.h>
#include <isa-l/raid.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "every_table.h"
#include "gtest/gtest.h"
#include "memory.h"
#include "parity/kernels/gf256.h"

namespace parity::kernels {
namespace {

constexpr uint8_t kUntouched = 0xa5;
constexpr size_t kLongest = 4097;

using Bytes = std::vector<uint8_t>;

// GfMultiply by table, to be quick enough as an oracle.
uint8_t Product(uint8_t a, uint8_t b) {
  static const std::vector<Bytes>* const kProducts = [] {
    auto* table = new std::vector<Bytes>(256, Bytes(256));
    for (int x = 0; x < 256; ++x) {
      for (int y = 0; y < 256; ++y) {
        (*table)[x][y] = GfMultiply(static_cast<uint8_t>(x), static_cast<uint8_t>(y));
      }
    }
    return table;
  }();
  return (*kProducts)[a][b];
}

std::vector<Bytes> Expected(const std::vector<const uint8_t*>& sources, const Bytes& coefficients,
                            size_t m, size_t bytes) {
  std::vector<Bytes> sums(m, Bytes(bytes));
  for (size_t j = 0; j < sources.size(); ++j) {
    for (size_t r = 0; r < m; ++r) {
      const uint8_t c = coefficients[j * m + r];
      for (size_t i = 0; i < bytes; ++i) sums[r][i] ^= Product(c, sources[j][i]);
    }
  }
  return sums;
}

// `count` runs in one block, `skew` bytes out of step with each other.
template <class Byte>
std::vector<Byte*> RunsIn(Byte* block, size_t count, size_t bytes, size_t skew) {
  std::vector<Byte*> runs;
  for (size_t i = 0; i < count; ++i) runs.push_back(block + i * (bytes + skew));
  return runs;
}

class GfMatrix : public TableTest {
 protected:
  void Run(const std::vector<uint8_t*>& dst, const std::vector<const uint8_t*>& sources,
           const Bytes& coefficients, size_t bytes) const {
    const GfMatrixJob job = {dst.data(),     sources.data(), coefficients.data(),
                             sources.size(), dst.size(),     bytes};
    table().gf_matrix(&job, 1);
  }
};

TEST_P(GfMatrix, MultipliesEveryByteByEveryCoefficient) {
  Bytes source(256);
  for (size_t i = 0; i < 256; ++i) source[i] = static_cast<uint8_t>(i);
  for (int c = 0; c < 256; ++c) {
    // By whole vectors, and one byte at a time.
    for (const size_t bytes : {256, 1}) {
      Bytes dst(256);
      for (size_t at = 0; at < 256; at += bytes) {
        Run({dst.data() + at}, {source.data() + at}, {static_cast<uint8_t>(c)}, bytes);
      }
      for (size_t i = 0; i < 256; ++i) {
        ASSERT_EQ(dst[i], GfMultiply(static_cast<uint8_t>(c), source[i])) << c << " * " << i;
      }
    }
  }
}

TEST_P(GfMatrix, GivesTheOracleBytesForEveryLength) {
  constexpr std::pair<size_t, size_t> kShapes[] = {{1, 1}, {2, 2}, {3, 3}, {4, 2}, {5, 4}, {3, 5}};
  for (const auto& [k, m] : kShapes) {
    const Bytes noise = Noise(k * (kLongest + 3), static_cast<uint32_t>(k));
    const Bytes coefficients = Noise(k * m, static_cast<uint32_t>(m));
    const std::vector<const uint8_t*> sources = RunsIn(noise.data(), k, kLongest, 3);
    const std::vector<Bytes> expected = Expected(sources, coefficients, m, kLongest);
    Bytes block(m * (kLongest + 1));
    const std::vector<uint8_t*> dst = RunsIn(block.data(), m, kLongest, 1);
    for (size_t bytes = 0; bytes <= kLongest; ++bytes) {
      std::fill(block.begin(), block.end(), kUntouched);
      Run(dst, sources, coefficients, bytes);
      for (size_t r = 0; r < m; ++r) {
        ASSERT_EQ(std::memcmp(dst[r], expected[r].data(), bytes), 0)
            << k << "+" << m << " x " << bytes << ", output " << r;
        ASSERT_EQ(dst[r][bytes], kUntouched) << k << "+" << m << " x " << bytes;
      }
    }
  }
}

TEST_P(GfMatrix, TakesAnyNumberOfSourcesAndOutputs) {
  constexpr std::pair<size_t, size_t> kShapes[] = {{254, 1}, {1, 254},   {128, 127}, {255, 255},
                                                   {17, 6},  {20, 7},    {33, 8},    {10, 9},
                                                   {5, 13},  {100, 100}, {253, 2},   {32, 3}};
  for (const auto& [k, m] : kShapes) {
    const Bytes coefficients = Noise(k * m, static_cast<uint32_t>(k));
    for (const size_t bytes : {1, 33, 64, 130}) {
      const Bytes noise = Noise(k * (bytes + 7), static_cast<uint32_t>(m));
      const std::vector<const uint8_t*> sources = RunsIn(noise.data(), k, bytes, 7);
      const std::vector<Bytes> expected = Expected(sources, coefficients, m, bytes);
      Bytes block(m * (bytes + 5));
      const std::vector<uint8_t*> dst = RunsIn(block.data(), m, bytes, 5);
      Run(dst, sources, coefficients, bytes);
      for (size_t r = 0; r < m; ++r) {
        ASSERT_TRUE(std::equal(expected[r].begin(), expected[r].end(), dst[r]))
            << k << "+" << m << " x " << bytes << ", output " << r;
      }
    }
  }
}

TEST_P(GfMatrix, TakesAnyAlignment) {
  constexpr size_t kSources = 3;
  constexpr size_t kOutputs = 2;
  constexpr size_t kStride = 17408;
  const Bytes noise = Noise(kSources * kStride + 64, 2);
  const Bytes coefficients = Noise(kSources * kOutputs, 3);
  const size_t to_aligned = -reinterpret_cast<uintptr_t>(noise.data()) % 64;
  Bytes block(kOutputs * kStride + 64);
  const size_t dst_to_aligned = -reinterpret_cast<uintptr_t>(block.data()) % 64;
  const auto check = [&](size_t bytes, size_t source_residue, const std::vector<Bytes>& expected,
                         size_t residue, size_t second_residue) {
    std::vector<const uint8_t*> sources;
    for (size_t j = 0; j < kSources; ++j) {
      sources.push_back(noise.data() + to_aligned + source_residue + j * kStride);
    }
    const std::vector<uint8_t*> dst = {block.data() + dst_to_aligned + residue,
                                       block.data() + kStride + second_residue};
    std::fill(block.begin(), block.end(), kUntouched);
    Run(dst, sources, coefficients, bytes);
    for (size_t r = 0; r < kOutputs; ++r) {
      ASSERT_EQ(std::memcmp(dst[r], expected[r].data(), bytes), 0)
          << bytes << " bytes at " << residue << " from " << source_residue;
      ASSERT_TRUE(dst[r] == block.data() || dst[r][-1] == kUntouched);
      ASSERT_EQ(dst[r][bytes], kUntouched);
    }
  };
  for (const size_t bytes : {40, 200, 1023, 1024, 1100, 16400}) {
    for (size_t source_residue = 0; source_residue < 64; source_residue += bytes < 2000 ? 1 : 9) {
      std::vector<const uint8_t*> sources;
      for (size_t j = 0; j < kSources; ++j) {
        sources.push_back(noise.data() + to_aligned + source_residue + j * kStride);
      }
      const std::vector<Bytes> expected = Expected(sources, coefficients, kOutputs, bytes);
      for (size_t residue = 0; residue < 64; residue += bytes < 2000 ? 1 : 9) {
        check(bytes, source_residue, expected, residue, dst_to_aligned + residue);
        check(bytes, source_residue, expected, residue, 63 - residue);
      }
    }
  }
}

TEST_P(GfMatrix, StaysInsideItsBuffers) {
  constexpr size_t kPages = 4200;
  for (const auto& [k, m] : {std::pair<size_t, size_t>{3, 2}, {2, 5}}) {
    const Bytes coefficients = Noise(k * m, 1);
    std::vector<std::unique_ptr<GuardedPages>> pages;
    for (size_t i = 0; i < k + m; ++i) {
      pages.push_back(std::make_unique<GuardedPages>(kPages));
      const Bytes noise =
          Noise(static_cast<size_t>(pages[i]->end() - pages[i]->start()), static_cast<uint32_t>(i));
      std::copy(noise.begin(), noise.end(), pages[i]->start());
    }
    std::vector<size_t> lengths;
    for (size_t bytes = 0; bytes <= 600; ++bytes) lengths.push_back(bytes);
    for (size_t bytes = 4090; bytes <= 4170; ++bytes) lengths.push_back(bytes);

    for (const size_t bytes : lengths) {
      for (const bool at_end : {false, true}) {
        std::vector<uint8_t*> runs;
        for (const auto& run : pages) runs.push_back(at_end ? run->end() - bytes : run->start());
        const std::vector<const uint8_t*> sources(runs.begin(),
                                                  runs.begin() + static_cast<ptrdiff_t>(k));
        const std::vector<uint8_t*> dst(runs.begin() + static_cast<ptrdiff_t>(k), runs.end());
        const std::vector<Bytes> expected = Expected(sources, coefficients, m, bytes);
        Run(dst, sources, coefficients, bytes);
        for (size_t r = 0; r < m; ++r) {
          ASSERT_TRUE(std::equal(expected[r].begin(), expected[r].end(), dst[r])) << bytes;
        }
      }
    }
  }
}

// Any output may be any source, however many passes over the sources the outputs take.
TEST_P(GfMatrix, MayOverwriteAnyOfItsSources) {
  std::mt19937 random(5);
  for (size_t m = 1; m <= 12; ++m) {
    for (const size_t k : {m, m + 3, size_t{1}}) {
      const Bytes coefficients = Noise(k * m, static_cast<uint32_t>(k));
      for (const size_t bytes : {1, 7, 16, 40, 64, 65, 127, 128, 300, 1100, 4099}) {
        Bytes block = Noise((k + m) * (bytes + 5), static_cast<uint32_t>(bytes));
        const std::vector<uint8_t*> runs = RunsIn(block.data(), k + m, bytes, 5);
        const std::vector<const uint8_t*> sources(runs.begin(),
                                                  runs.begin() + static_cast<ptrdiff_t>(k));
        std::vector<uint8_t*> dst = runs;
        std::shuffle(dst.begin(), dst.end(), random);
        dst.resize(m);
        const std::vector<Bytes> expected = Expected(sources, coefficients, m, bytes);
        Run(dst, sources, coefficients, bytes);
        for (size_t r = 0; r < m; ++r) {
          ASSERT_TRUE(std::equal(expected[r].begin(), expected[r].end(), dst[r]))
              << k << "+" << m << " x " << bytes << ", output " << r;
        }
      }
    }
  }
}

TEST_P(GfMatrix, RunsTheJobsOfABatchInOrder) {
  constexpr size_t kJobs = 100;
  constexpr size_t kPlace = 300;
  constexpr size_t kMostOutputs = 6;
  struct Lists {
    std::vector<uint8_t*> dst;
    std::vector<const uint8_t*> sources;
    Bytes coefficients;
  };
  std::mt19937 random(3);
  Bytes block = Noise((kJobs + 1) * kMostOutputs * kPlace, 4);
  Bytes expected = block;
  std::vector<Lists> lists(kJobs);
  std::vector<GfMatrixJob> jobs;
  // Every job writes to places of its own and reads from any place, what earlier jobs wrote
  // included.
  for (size_t i = 0; i < kJobs; ++i) {
    Lists& job = lists[i];
    const size_t k = 1 + random() % 8;
    const size_t m = 1 + random() % kMostOutputs;
    const size_t bytes = random() % kPlace;
    job.coefficients = Noise(k * m, static_cast<uint32_t>(i));
    std::vector<const uint8_t*> expected_sources;
    for (size_t j = 0; j < k; ++j) {
      const size_t at = random() % (block.size() / kPlace) * kPlace;
      job.sources.push_back(block.data() + at);
      expected_sources.push_back(expected.data() + at);
    }
    const std::vector<Bytes> sums = Expected(expected_sources, job.coefficients, m, bytes);
    for (size_t r = 0; r < m; ++r) {
      const size_t at = (i * kMostOutputs + r) * kPlace;
      job.dst.push_back(block.data() + at);
      std::copy(sums[r].begin(), sums[r].end(), expected.begin() + static_cast<ptrdiff_t>(at));
    }
    jobs.push_back({job.dst.data(), job.sources.data(), job.coefficients.data(), k, m, bytes});
  }
  table().gf_matrix(jobs.data(), jobs.size());
  EXPECT_EQ(block, expected);
}

TEST_P(GfMatrix, TouchesNoMemoryForZeroBytesOrNoJobs) {
  const std::vector<uint8_t*> dst(5, nullptr);
  const std::vector<const uint8_t*> sources(3, nullptr);
  Run(dst, sources, Bytes(15, 7), 0);
  table().gf_matrix(nullptr, 0);
}

TEST_P(GfMatrix, MatchesIsaLCauchy) {
  constexpr std::pair<size_t, size_t> kShapes[] = {{4, 2}, {10, 4}, {1, 3}, {20, 7}, {200, 55}};
  for (const auto& [k, m] : kShapes) {
    const int int_k = static_cast<int>(k);
    const int int_m = static_cast<int>(m);
    Bytes generator((k + m) * k);
    gf_gen_cauchy1_matrix(generator.data(), int_k + int_m, int_k);
    Bytes tables(32 * k * m);
    ec_init_tables(int_k, int_m, generator.data() + k * k, tables.data());
    Bytes coefficients;
    for (size_t j = 0; j < k; ++j) {
      for (size_t r = 0; r < m; ++r) coefficients.push_back(generator[(k + r) * k + j]);
    }
    for (const size_t bytes : {1, 31, 64, 100, 1000, 4099}) {
      Bytes noise = Noise(k * (bytes + 7), static_cast<uint32_t>(k));
      std::vector<uint8_t*> sources = RunsIn(noise.data(), k, bytes, 7);
      Bytes ours(m * (bytes + 3));
      Bytes theirs(m * (bytes + 3));
      std::vector<uint8_t*> their_dst = RunsIn(theirs.data(), m, bytes, 3);
      ec_encode_data(static_cast<int>(bytes), int_k, int_m, tables.data(), sources.data(),
                     their_dst.data());
      Run(RunsIn(ours.data(), m, bytes, 3), {sources.begin(), sources.end()}, coefficients, bytes);
      ASSERT_EQ(ours, theirs) << k << "+" << m << " x " << bytes;
    }
  }
}

// ISA-L's pq_gen wants 32-byte aligned pointers and lengths that are multiples of 32.
TEST_P(GfMatrix, MatchesIsaLPAndQ) {
  for (const size_t k : {2, 3, 4, 10, 16, 33}) {
    Bytes coefficients;
    uint8_t power = 1;
    for (size_t j = 0; j < k; ++j) {
      coefficients.push_back(1);
      coefficients.push_back(power);
      power = GfMultiply(power, 2);
    }
    for (const size_t bytes : {32, 64, 512, 4096, 4128}) {
      GuardedPages pages((k + 2) * bytes);
      const Bytes noise = Noise((k + 2) * bytes, static_cast<uint32_t>(k));
      std::copy(noise.begin(), noise.end(), pages.start());
      const std::vector<uint8_t*> runs = RunsIn(pages.start(), k + 2, bytes, 0);
      std::vector<void*> shards(runs.begin(), runs.end());
      ASSERT_EQ(pq_gen(static_cast<int>(k + 2), static_cast<int>(bytes), shards.data()), 0);
      Bytes ours(2 * bytes);
      Run(RunsIn(ours.data(), 2, bytes, 0), {runs.begin(), runs.end() - 2}, coefficients, bytes);
      ASSERT_TRUE(std::equal(ours.begin(), ours.end(), runs[k])) << k << " x " << bytes;
    }
  }
}

INSTANTIATE_FOR_EVERY_TABLE(GfMatrix);

}  // namespace
}  // namespace parity::kernels
