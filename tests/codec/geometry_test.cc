#include "parity/codec/geometry.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "stripe.h"

namespace parity::codec {
namespace {

constexpr Matrix kNamedMatrices[] = {Matrix::kCauchy, Matrix::kVandermonde,
                                     Matrix::kSystematicVandermonde};

Fault FaultOfMake(Code code, uint32_t data_shards, uint32_t parity_shards,
                  std::optional<Matrix> matrix = std::nullopt) {
  return FaultOf(Geometry::Make(code, data_shards, parity_shards, matrix).status());
}

Fault FaultOfMakeCustom(uint32_t data_shards, uint32_t parity_shards,
                        const std::vector<uint8_t>& generator) {
  return FaultOf(Geometry::MakeCustom(data_shards, parity_shards, generator).status());
}

absl::StatusOr<Geometry> MakeOfOnes(uint32_t data_shards, uint32_t parity_shards) {
  return Geometry::MakeCustom(data_shards, parity_shards,
                              Bytes(size_t{data_shards} * parity_shards, 1));
}

TEST(Geometry, HasWhatItWasMadeOf) {
  const Geometry geometry = Geometry::Make(Code::kReedSolomon, 10, 4).value();
  EXPECT_EQ(geometry.code(), Code::kReedSolomon);
  EXPECT_EQ(geometry.matrix(), Matrix::kCauchy);
  EXPECT_EQ(geometry.data_shards(), 10u);
  EXPECT_EQ(geometry.parity_shards(), 4u);
  EXPECT_EQ(geometry.total_shards(), 14u);
  EXPECT_TRUE(geometry.custom_generator().empty());
  EXPECT_EQ(Geometry::Make(Code::kXor, 2, 1)->matrix(), Matrix::kNone);
  EXPECT_EQ(Geometry::Make(Code::kRaid6, 2, 2)->matrix(), Matrix::kNone);
  for (const Matrix matrix : kNamedMatrices) {
    EXPECT_EQ(Geometry::Make(Code::kReedSolomon, 4, 2, matrix)->matrix(), matrix);
  }
}

TEST(Geometry, KeepsACustomGenerator) {
  Bytes generator = {1, 2, 0, 0, 4, 5};
  const Geometry geometry = Geometry::MakeCustom(3, 2, generator).value();
  generator.assign(6, 0);
  EXPECT_EQ(geometry.code(), Code::kReedSolomon);
  EXPECT_EQ(geometry.matrix(), Matrix::kCustom);
  EXPECT_EQ(Bytes(geometry.custom_generator().begin(), geometry.custom_generator().end()),
            (Bytes{1, 2, 0, 0, 4, 5}));
}

TEST(Geometry, EqualsOneOfTheSameShapeAndCode) {
  const Geometry geometry = Geometry::Make(Code::kReedSolomon, 4, 2).value();
  EXPECT_TRUE(geometry == Geometry::Make(Code::kReedSolomon, 4, 2).value());
  EXPECT_TRUE(geometry == Geometry::Make(Code::kReedSolomon, 4, 2, Matrix::kCauchy).value());
  EXPECT_TRUE(geometry != Geometry::Make(Code::kReedSolomon, 4, 2, Matrix::kVandermonde).value());
  EXPECT_TRUE(geometry != Geometry::Make(Code::kReedSolomon, 4, 3).value());
  EXPECT_TRUE(geometry != Geometry::Make(Code::kReedSolomon, 5, 2).value());
  EXPECT_TRUE(geometry != Geometry::Make(Code::kRaid6, 4, 2).value());
}

TEST(Geometry, EqualsOneWithTheSameFactors) {
  const Geometry geometry = Geometry::MakeCustom(2, 2, {1, 2, 3, 4}).value();
  EXPECT_TRUE(geometry == Geometry(geometry));
  EXPECT_TRUE(geometry == Geometry::MakeCustom(2, 2, {1, 2, 3, 4}).value());
  EXPECT_TRUE(geometry != Geometry::MakeCustom(2, 2, {1, 2, 3, 5}).value());
  EXPECT_TRUE(geometry != Geometry::MakeCustom(4, 1, {1, 2, 3, 4}).value());
}

TEST(Geometry, TakesEveryShapeUpToItsMost) {
  EXPECT_TRUE(Geometry::Make(Code::kXor, 254, 1).ok());
  EXPECT_TRUE(Geometry::Make(Code::kXor, 255, 1).ok());
  EXPECT_TRUE(Geometry::Make(Code::kRaid6, 254, 2).ok());
  EXPECT_TRUE(Geometry::Make(Code::kRaid6, 255, 2).ok());
  const std::pair<uint32_t, uint32_t> shapes[] = {{254, 1},   {255, 1},   {1, 254},  {1, 255},
                                                  {128, 127}, {128, 128}, {127, 129}};
  for (const auto& [k, m] : shapes) {
    for (const Matrix matrix : kNamedMatrices) {
      EXPECT_TRUE(Geometry::Make(Code::kReedSolomon, k, m, matrix).ok()) << k << "+" << m;
    }
    EXPECT_TRUE(MakeOfOnes(k, m).ok()) << k << "+" << m;
  }
}

TEST(Geometry, RefusesOneShardMoreThanItsMost) {
  EXPECT_EQ(FaultOfMake(Code::kXor, 256, 1),
            Invalid("geometry.data_shards", "got 256, want 1 to 255"));
  EXPECT_EQ(FaultOfMake(Code::kRaid6, 256, 2),
            Invalid("geometry.data_shards", "got 256, want 1 to 255"));
  for (const Matrix matrix : kNamedMatrices) {
    EXPECT_EQ(FaultOfMake(Code::kReedSolomon, 256, 1, matrix),
              Invalid("geometry.data_shards", "got 256, want 1 to 255"));
    EXPECT_EQ(FaultOfMake(Code::kReedSolomon, 255, 2, matrix),
              Invalid("geometry.parity_shards", "got 2, want 1"));
    EXPECT_EQ(FaultOfMake(Code::kReedSolomon, 1, 256, matrix),
              Invalid("geometry.parity_shards", "got 256, want 1 to 255"));
    EXPECT_EQ(FaultOfMake(Code::kReedSolomon, 128, 129, matrix),
              Invalid("geometry.parity_shards", "got 129, want 1 to 128"));
  }
  EXPECT_EQ(FaultOf(MakeOfOnes(256, 1).status()),
            Invalid("geometry.data_shards", "got 256, want 1 to 255"));
  EXPECT_EQ(FaultOf(MakeOfOnes(128, 129).status()),
            Invalid("geometry.parity_shards", "got 129, want 1 to 128"));
}

TEST(Geometry, RefusesACodeThatDoesNotExist) {
  EXPECT_EQ(FaultOfMake(static_cast<Code>(0), 4, 2),
            Invalid("geometry.code", "got 0, want 1 (xor), 2 (raid6) or 3 (rs)"));
  EXPECT_EQ(FaultOfMake(static_cast<Code>(4), 4, 2),
            Invalid("geometry.code", "got 4, want 1 (xor), 2 (raid6) or 3 (rs)"));
}

TEST(Geometry, RefusesAMatrixThatTheCodeDoesNotHave) {
  const std::string want = ", want 1 (cauchy), 2 (vandermonde) or 3 (systematic-vandermonde)";
  EXPECT_EQ(FaultOfMake(Code::kReedSolomon, 4, 2, Matrix::kNone),
            Invalid("geometry.matrix", "got 0 (none)" + want));
  EXPECT_EQ(FaultOfMake(Code::kReedSolomon, 4, 2, Matrix::kCustom),
            Invalid("geometry.matrix", "got 4 (custom)" + want));
  EXPECT_EQ(FaultOfMake(Code::kReedSolomon, 4, 2, static_cast<Matrix>(5)),
            Invalid("geometry.matrix", "got 5 (unknown)" + want));
  EXPECT_EQ(FaultOfMake(Code::kRaid6, 4, 2, Matrix::kCauchy),
            Invalid("geometry.matrix", "got 1 (cauchy), want 0 (none): only rs has one to choose"));
  EXPECT_TRUE(Geometry::Make(Code::kXor, 4, 1, Matrix::kNone).ok());
}

TEST(Geometry, RefusesTooFewOrTooManyDataShards) {
  EXPECT_EQ(FaultOfMake(Code::kReedSolomon, 0, 2),
            Invalid("geometry.data_shards", "got 0, want 1 to 255"));
  EXPECT_EQ(FaultOfMake(Code::kReedSolomon, 0xffffffff, 2),
            Invalid("geometry.data_shards", "got 4294967295, want 1 to 255"));
  EXPECT_EQ(FaultOfMakeCustom(0, 2, {}), Invalid("geometry.data_shards", "got 0, want 1 to 255"));
}

TEST(Geometry, RefusesTooFewOrTooManyParityShards) {
  EXPECT_EQ(FaultOfMake(Code::kReedSolomon, 4, 0),
            Invalid("geometry.parity_shards", "got 0, want 1 to 252"));
  EXPECT_EQ(FaultOfMake(Code::kReedSolomon, 2, 0xffffffff),
            Invalid("geometry.parity_shards", "got 4294967295, want 1 to 254"));
  EXPECT_EQ(FaultOfMake(Code::kXor, 4, 2), Invalid("geometry.parity_shards", "got 2, want 1"));
  EXPECT_EQ(FaultOfMake(Code::kRaid6, 4, 1), Invalid("geometry.parity_shards", "got 1, want 2"));
  EXPECT_EQ(FaultOfMake(Code::kRaid6, 4, 3), Invalid("geometry.parity_shards", "got 3, want 2"));
  EXPECT_EQ(FaultOfMakeCustom(2, 0, {}), Invalid("geometry.parity_shards", "got 0, want 1 to 254"));
}

TEST(Geometry, RefusesAGeneratorOfAnotherSize) {
  EXPECT_EQ(FaultOfMakeCustom(3, 2, {1, 1, 1, 1, 1}),
            Invalid("geometry.generator", "got 5 bytes, want 6: 2 rows of 3"));
  EXPECT_EQ(FaultOfMakeCustom(3, 2, Bytes(7, 1)),
            Invalid("geometry.generator", "got 7 bytes, want 6: 2 rows of 3"));
  EXPECT_EQ(FaultOfMakeCustom(3, 2, {}),
            Invalid("geometry.generator", "got 0 bytes, want 6: 2 rows of 3"));
}

TEST(Geometry, RefusesAGeneratorThatLeavesAShardOut) {
  EXPECT_EQ(FaultOfMakeCustom(3, 2, {1, 0, 2, 3, 0, 4}),
            Invalid("geometry.generator",
                    "got only zeros for data shard 1, want a parity shard that depends on it"));
  EXPECT_EQ(FaultOfMakeCustom(3, 2, {1, 1, 1, 0, 0, 0}),
            Invalid("geometry.generator",
                    "got only zeros for parity shard 4, want a data shard that it depends on"));
}

// Any k of the k+m rows are independent exactly where the geometry says so.
TEST(Geometry, KnowsWhetherAnyKShardsSuffice) {
  for (const Geometry& geometry : GeometriesUpTo(12)) {
    if (!geometry.any_k_suffice()) continue;
    const Rows rows = DefinedRows(geometry);
    for (uint32_t pattern = 0; pattern < 1u << geometry.total_shards(); ++pattern) {
      const auto [present, lost] = Split(geometry.total_shards(), pattern);
      if (present.size() != geometry.data_shards()) continue;
      Rows some;
      for (const uint32_t shard : present) some.push_back(rows[shard]);
      ASSERT_EQ(Rank(some), geometry.data_shards()) << NameOf(geometry) << " " << pattern;
    }
  }
  EXPECT_FALSE(LocalGroups().any_k_suffice());
  for (const auto& [k, m] : {std::pair(22u, 4u), {4u, 22u}, {5u, 6u}, {6u, 5u}}) {
    EXPECT_FALSE(Geometry::Make(Code::kReedSolomon, k, m, Matrix::kVandermonde)->any_k_suffice());
  }
  EXPECT_TRUE(Geometry::Make(Code::kReedSolomon, 250, 3, Matrix::kVandermonde)->any_k_suffice());
}

// The shapes at the edge of what is true of the Vandermonde matrix: every loss of m shards.
TEST(Geometry, KnowsTheLargestShapesOfVandermondeThatBearAnyLoss) {
  for (const auto& [k, m] : {std::pair(21u, 4u), {4u, 21u}, {5u, 5u}}) {
    const Geometry geometry =
        Geometry::Make(Code::kReedSolomon, k, m, Matrix::kVandermonde).value();
    ASSERT_TRUE(geometry.any_k_suffice()) << NameOf(geometry);
    const Rows rows = DefinedRows(geometry);
    std::vector<bool> is_present(k + m, false);
    std::fill_n(is_present.begin(), k, true);
    do {
      Rows some;
      for (uint32_t shard = 0; shard < k + m; ++shard) {
        if (is_present[shard]) some.push_back(rows[shard]);
      }
      ASSERT_EQ(Rank(some), k) << NameOf(geometry);
    } while (std::prev_permutation(is_present.begin(), is_present.end()));
  }
}

TEST(CodeFromName, IsTheInverseOfNameOf) {
  for (const Code code : {Code::kXor, Code::kRaid6, Code::kReedSolomon}) {
    EXPECT_EQ(CodeFromName(NameOf(code)).value(), code);
  }
  EXPECT_EQ(NameOf(Code::kXor), "xor");
  EXPECT_EQ(NameOf(Code::kRaid6), "raid6");
  EXPECT_EQ(NameOf(Code::kReedSolomon), "rs");
}

TEST(CodeFromName, RefusesOtherNames) {
  EXPECT_EQ(FaultOf(CodeFromName("RS").status()), Invalid("code", "got RS, want xor, raid6 or rs"));
  EXPECT_EQ(FaultOf(CodeFromName("").status()), Invalid("code", "got , want xor, raid6 or rs"));
}

TEST(MatrixFromName, IsTheInverseOfNameOf) {
  for (const Matrix matrix :
       {Matrix::kCauchy, Matrix::kVandermonde, Matrix::kSystematicVandermonde, Matrix::kCustom}) {
    EXPECT_EQ(MatrixFromName(NameOf(matrix)).value(), matrix);
  }
  EXPECT_EQ(NameOf(Matrix::kNone), "none");
  EXPECT_EQ(NameOf(Matrix::kCauchy), "cauchy");
  EXPECT_EQ(NameOf(Matrix::kVandermonde), "vandermonde");
  EXPECT_EQ(NameOf(Matrix::kSystematicVandermonde), "systematic-vandermonde");
  EXPECT_EQ(NameOf(Matrix::kCustom), "custom");
}

TEST(MatrixFromName, RefusesOtherNames) {
  for (const char* name : {"none", "Cauchy", ""}) {
    EXPECT_EQ(FaultOf(MatrixFromName(name).status()),
              Invalid("matrix", std::string("got ") + name +
                                    ", want cauchy, vandermonde, systematic-vandermonde or "
                                    "custom"));
  }
}

}  // namespace
}  // namespace parity::codec
