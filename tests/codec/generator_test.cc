#include "generator.h"

#include <isa-l/erasure_code.h>

#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "stripe.h"

namespace parity::codec {
namespace {

// By parity shard.
Rows RowsOf(const Factors& factors) {
  Rows rows(factors.outputs(), Row(factors.sources()));
  for (size_t r = 0; r < factors.outputs(); ++r) {
    for (size_t j = 0; j < factors.sources(); ++j) rows[r][j] = factors.at(j, r);
  }
  return rows;
}

constexpr std::pair<uint32_t, uint32_t> kShapes[] = {{1, 1},   {2, 2},   {4, 2},   {6, 3},
                                                     {10, 4},  {20, 5},  {64, 32}, {128, 128},
                                                     {1, 255}, {255, 1}, {3, 253}, {253, 3}};

TEST(GeneratorOf, IsTheDefinedMatrix) {
  for (const Geometry& geometry : GeometriesUpTo(12)) {
    EXPECT_EQ(RowsOf(*GeneratorOf(geometry)), DefinedGenerator(geometry)) << NameOf(geometry);
  }
  for (const auto& [k, m] : kShapes) {
    for (const Matrix matrix :
         {Matrix::kCauchy, Matrix::kVandermonde, Matrix::kSystematicVandermonde}) {
      const Geometry geometry = Geometry::Make(Code::kReedSolomon, k, m, matrix).value();
      EXPECT_EQ(RowsOf(*GeneratorOf(geometry)), DefinedGenerator(geometry)) << NameOf(geometry);
    }
  }
  EXPECT_EQ(RowsOf(*GeneratorOf(LocalGroups())), DefinedGenerator(LocalGroups()));
  const Geometry raid6 = Geometry::Make(Code::kRaid6, 255, 2).value();
  EXPECT_EQ(RowsOf(*GeneratorOf(raid6)), DefinedGenerator(raid6));
}

TEST(GeneratorOf, IsThatOfIsaL) {
  for (const auto& [k, m] : kShapes) {
    const int int_k = static_cast<int>(k);
    const int int_rows = static_cast<int>(k + m);
    const auto expect_generator = [k = k, m = m](Matrix matrix, const Bytes& all_rows) {
      Rows expected;
      for (uint32_t r = k; r < k + m; ++r) {
        expected.emplace_back(all_rows.begin() + ptrdiff_t{r} * k,
                              all_rows.begin() + ptrdiff_t{r + 1} * k);
      }
      const Geometry geometry = Geometry::Make(Code::kReedSolomon, k, m, matrix).value();
      EXPECT_EQ(RowsOf(*GeneratorOf(geometry)), expected) << NameOf(geometry);
    };
    Bytes all_rows(size_t{k + m} * k);
    gf_gen_cauchy1_matrix(all_rows.data(), int_rows, int_k);
    expect_generator(Matrix::kCauchy, all_rows);
    gf_gen_rs_matrix(all_rows.data(), int_rows, int_k);
    expect_generator(Matrix::kVandermonde, all_rows);
  }
}

}  // namespace
}  // namespace parity::codec
