// What holds for matrices alone; the rest is in generate_test.cc.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "every_table.h"
#include "gtest/gtest.h"
#include "memory.h"
#include "operation.h"
#include "parity/kernels/gf256.h"

namespace parity::kernels {
namespace {

class GfMatrix : public TableTest {};

TEST_P(GfMatrix, MultipliesEveryByteByEveryCoefficient) {
  Bytes source(256);
  for (size_t i = 0; i < 256; ++i) source[i] = static_cast<uint8_t>(i);
  // Alone, and as one of several sources.
  for (const size_t k : {1, 2, 3}) {
    const Bytes zeros(256);
    std::vector<const uint8_t*> sources(k, zeros.data());
    sources.back() = source.data();
    for (int c = 0; c < 256; ++c) {
      Factors factors(k, FactorOf(1));
      factors.back() = FactorOf(static_cast<uint8_t>(c));
      // By whole vectors, and one byte at a time.
      for (const size_t bytes : {256, 1}) {
        Bytes dst(256);
        std::vector<GfMatrixJob> jobs;
        std::vector<uint8_t*> outputs(256 / bytes);
        std::vector<std::vector<const uint8_t*>> inputs(256 / bytes, sources);
        for (size_t i = 0; i < 256 / bytes; ++i) {
          outputs[i] = dst.data() + i * bytes;
          inputs[i].back() += i * bytes;
          jobs.push_back({&outputs[i], inputs[i].data(), factors.data(), k, 1, bytes});
        }
        table().gf_matrix(jobs.data(), jobs.size(), HostTuning());
        for (size_t i = 0; i < 256; ++i) {
          ASSERT_EQ(dst[i], GfMultiply(static_cast<uint8_t>(c), source[i])) << c << " * " << i;
        }
      }
    }
  }
}

TEST_P(GfMatrix, TakesAnyNumberOfOutputs) {
  constexpr std::pair<size_t, size_t> kShapes[] = {{254, 1}, {1, 254},   {128, 127}, {255, 255},
                                                   {17, 6},  {20, 7},    {33, 8},    {10, 9},
                                                   {5, 13},  {100, 100}, {253, 2},   {32, 3}};
  for (const auto& [k, m] : kShapes) {
    for (const size_t bytes : {1, 33, 64, 130}) {
      for (const Operation& operation : kOperations) {
        if (operation.code != Code::kMatrix) continue;
        Job job = JobFor(operation, k, m);
        const Bytes noise = Noise(job.k() * (bytes + 7), static_cast<uint32_t>(m));
        Bytes block = Noise(m * (bytes + 5), static_cast<uint32_t>(k));
        job.parity = RunsIn(block.data(), m, bytes, 5);
        job.sources = RunsIn(noise.data(), job.k(), bytes, 7);
        job.bytes = bytes;
        const std::vector<Bytes> expected = ExpectedOf(operation, job);
        operation.run(table(), &job, 1, HostTuning());
        for (size_t r = 0; r < m; ++r) {
          ASSERT_TRUE(std::equal(expected[r].begin(), expected[r].end(), job.parity[r]))
              << operation.name << " " << k << "+" << m << " x " << bytes << ", output " << r;
        }
      }
    }
  }
}

// A caller may leave anything there.
TEST_P(GfMatrix, IgnoresOldSources) {
  GuardedPages pages(4096, 1);
  const auto nowhere = reinterpret_cast<const uint8_t* const*>(pages.end());
  for (const size_t m : {1, 5}) {
    const Factors factors = FactorsOf(Code::kMatrix, 3, m);
    for (const size_t bytes : {5, 100, 1000}) {
      Bytes block = Noise(8 * bytes, 2);
      const std::vector<uint8_t*> runs = RunsIn(block.data(), 8, bytes, 0);
      // In place, as that is a way of its own.
      const Job job = {{runs.begin(), runs.begin() + static_cast<ptrdiff_t>(m)},
                       {runs.begin(), runs.begin() + 3},
                       factors,
                       bytes};
      const std::vector<Bytes> expected = SumsOf(job);
      const GfMatrixJob table_job = {
          job.parity.data(), job.sources.data(), factors.data(), 3, m, bytes, nowhere};
      table().gf_matrix(&table_job, 1, HostTuning());
      for (size_t r = 0; r < m; ++r) {
        ASSERT_TRUE(std::equal(expected[r].begin(), expected[r].end(), job.parity[r])) << bytes;
      }
    }
  }
}

INSTANTIATE_FOR_EVERY_TABLE(GfMatrix);

}  // namespace
}  // namespace parity::kernels
