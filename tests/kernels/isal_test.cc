// That each operation gives what ISA-L gives, where ISA-L accepts the pointers and lengths.
#include <isa-l/erasure_code.h>
#include <isa-l/raid.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "every_table.h"
#include "gtest/gtest.h"
#include "memory.h"
#include "operation.h"

namespace parity::kernels {
namespace {

class IsaL : public TableTest {};

// xor_gen wants 32-byte aligned pointers.
TEST_P(IsaL, GivesTheSameXor) {
  constexpr size_t kMaxBytes = 8192;
  for (const size_t k : {2, 3, 4, 10, 16, 33}) {
    GuardedPages pages((k + 2) * kMaxBytes, static_cast<uint32_t>(k));
    const std::vector<uint8_t*> runs = RunsIn(pages.start(), k + 2, kMaxBytes, 0);
    std::vector<void*> shards(runs.begin(), runs.end() - 1);
    const std::vector<const uint8_t*> sources(runs.begin(), runs.end() - 2);
    for (const size_t bytes : {1, 17, 32, 64, 100, 512, 1000, 4096, 4097, 8192}) {
      ASSERT_EQ(xor_gen(static_cast<int>(k + 1), static_cast<int>(bytes), shards.data()), 0);
      const XorJob job = {runs[k + 1], sources.data(), k, bytes};
      table().xor_generate(&job, 1, HostTuning());
      ASSERT_TRUE(std::equal(runs[k], runs[k] + bytes, runs[k + 1])) << k << " x " << bytes;
    }
  }
}

// pq_gen wants 32-byte aligned pointers and lengths that are multiples of 32.
TEST_P(IsaL, GivesTheSamePAndQ) {
  for (const size_t k : {2, 3, 4, 5, 10, 16, 33, 255}) {
    for (const size_t bytes : {32, 64, 96, 512, 4096, 4128}) {
      GuardedPages pages((k + 4) * bytes, static_cast<uint32_t>(k));
      const std::vector<uint8_t*> runs = RunsIn(pages.start(), k + 4, bytes, 0);
      std::vector<void*> shards(runs.begin(), runs.end() - 2);
      const std::vector<const uint8_t*> sources(runs.begin(), runs.end() - 4);
      ASSERT_EQ(pq_gen(static_cast<int>(k + 2), static_cast<int>(bytes), shards.data()), 0);
      const PqJob job = {runs[k + 2], runs[k + 3], sources.data(), k, bytes};
      table().pq_generate(&job, 1, HostTuning());
      ASSERT_TRUE(std::equal(runs[k], runs[k] + 2 * bytes, runs[k + 2])) << k << " x " << bytes;
    }
  }
}

struct CauchyCode {
  size_t k;
  size_t m;
  Bytes tables;     // as ISA-L wants the factors
  Factors factors;  // as we want them
};

CauchyCode CauchyOf(size_t k, size_t m) {
  const int int_k = static_cast<int>(k);
  const int int_m = static_cast<int>(m);
  Bytes generator((k + m) * k);
  gf_gen_cauchy1_matrix(generator.data(), int_k + int_m, int_k);
  CauchyCode code = {k, m, Bytes(32 * k * m), {}};
  ec_init_tables(int_k, int_m, generator.data() + k * k, code.tables.data());
  for (size_t j = 0; j < k; ++j) {
    for (size_t r = 0; r < m; ++r) code.factors.push_back(FactorOf(generator[(k + r) * k + j]));
  }
  return code;
}

constexpr std::pair<size_t, size_t> kShapes[] = {{4, 2}, {10, 4}, {1, 3}, {20, 7}, {200, 55}};
constexpr size_t kLengths[] = {1, 31, 64, 100, 1000, 4099};

TEST_P(IsaL, GivesTheSameCauchyCode) {
  for (const auto& [k, m] : kShapes) {
    CauchyCode code = CauchyOf(k, m);
    for (const size_t bytes : kLengths) {
      Bytes noise = Noise(k * (bytes + 7), static_cast<uint32_t>(k));
      std::vector<uint8_t*> sources = RunsIn(noise.data(), k, bytes, 7);
      Bytes ours(m * (bytes + 3));
      Bytes theirs(m * (bytes + 3));
      const std::vector<uint8_t*> our_dst = RunsIn(ours.data(), m, bytes, 3);
      std::vector<uint8_t*> their_dst = RunsIn(theirs.data(), m, bytes, 3);
      ec_encode_data(static_cast<int>(bytes), static_cast<int>(k), static_cast<int>(m),
                     code.tables.data(), sources.data(), their_dst.data());
      const GfMatrixJob job = {our_dst.data(), sources.data(), code.factors.data(), k, m, bytes};
      table().gf_matrix(&job, 1, HostTuning());
      ASSERT_EQ(ours, theirs) << k << "+" << m << " x " << bytes;
    }
  }
}

// One source after the other.
TEST_P(IsaL, GivesTheSameUpdates) {
  for (const auto& [k, m] : kShapes) {
    CauchyCode code = CauchyOf(k, m);
    for (const size_t bytes : kLengths) {
      Bytes noise = Noise(k * (bytes + 7), static_cast<uint32_t>(k));
      const std::vector<uint8_t*> sources = RunsIn(noise.data(), k, bytes, 7);
      Bytes ours(m * (bytes + 3));
      Bytes theirs(m * (bytes + 3));
      const std::vector<uint8_t*> our_dst = RunsIn(ours.data(), m, bytes, 3);
      std::vector<uint8_t*> their_dst = RunsIn(theirs.data(), m, bytes, 3);
      for (size_t j = 0; j < k; ++j) {
        ec_encode_data_update(static_cast<int>(bytes), static_cast<int>(k), static_cast<int>(m),
                              static_cast<int>(j), code.tables.data(), sources[j],
                              their_dst.data());
        const GfMatrixJob job = {our_dst.data(), &sources[j], code.factors.data() + j * m, 1, m,
                                 bytes};
        table().gf_matrix_add(&job, 1, HostTuning());
      }
      ASSERT_EQ(ours, theirs) << k << "+" << m << " x " << bytes;
    }
  }
}

INSTANTIATE_FOR_EVERY_TABLE(IsaL);

}  // namespace
}  // namespace parity::kernels
