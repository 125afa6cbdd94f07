#include "parity/codec/geometry.h"

#include "gtest/gtest.h"
#include "stripe.h"

namespace parity::codec {
namespace {

Fault FaultOfMake(Code code, uint32_t data_shards, uint32_t parity_shards) {
  return FaultOf(Geometry::Make(code, data_shards, parity_shards).status());
}

TEST(Geometry, HasWhatItWasMadeOf) {
  const Geometry geometry = Geometry::Make(Code::kReedSolomon, 10, 4).value();
  EXPECT_EQ(geometry.code(), Code::kReedSolomon);
  EXPECT_EQ(geometry.matrix(), Matrix::kCauchy);
  EXPECT_EQ(geometry.data_shards(), 10u);
  EXPECT_EQ(geometry.parity_shards(), 4u);
  EXPECT_EQ(geometry.total_shards(), 14u);
  EXPECT_EQ(Geometry::Make(Code::kXor, 2, 1)->matrix(), Matrix::kNone);
  EXPECT_EQ(Geometry::Make(Code::kRaid6, 2, 2)->matrix(), Matrix::kNone);
}

TEST(Geometry, EqualsOneOfTheSameShapeAndCode) {
  const Geometry geometry = Geometry::Make(Code::kReedSolomon, 4, 2).value();
  EXPECT_TRUE(geometry == Geometry::Make(Code::kReedSolomon, 4, 2).value());
  EXPECT_TRUE(geometry != Geometry::Make(Code::kReedSolomon, 4, 3).value());
  EXPECT_TRUE(geometry != Geometry::Make(Code::kReedSolomon, 5, 2).value());
  EXPECT_TRUE(geometry != Geometry::Make(Code::kRaid6, 4, 2).value());
}

TEST(Geometry, TakesEveryShapeUpToItsMost) {
  EXPECT_TRUE(Geometry::Make(Code::kXor, 254, 1).ok());
  EXPECT_TRUE(Geometry::Make(Code::kRaid6, 253, 2).ok());
  EXPECT_TRUE(Geometry::Make(Code::kReedSolomon, 254, 1).ok());
  EXPECT_TRUE(Geometry::Make(Code::kReedSolomon, 1, 254).ok());
  EXPECT_TRUE(Geometry::Make(Code::kReedSolomon, 128, 127).ok());
}

TEST(Geometry, RefusesACodeThatDoesNotExist) {
  EXPECT_EQ(FaultOfMake(static_cast<Code>(0), 4, 2),
            Invalid("geometry.code", "got 0, want 1 (xor), 2 (raid6) or 3 (rs)"));
  EXPECT_EQ(FaultOfMake(static_cast<Code>(4), 4, 2),
            Invalid("geometry.code", "got 4, want 1 (xor), 2 (raid6) or 3 (rs)"));
}

TEST(Geometry, RefusesTooFewOrTooManyDataShards) {
  EXPECT_EQ(FaultOfMake(Code::kReedSolomon, 0, 2),
            Invalid("geometry.data_shards", "got 0, want 1 to 254"));
  EXPECT_EQ(FaultOfMake(Code::kReedSolomon, 255, 1),
            Invalid("geometry.data_shards", "got 255, want 1 to 254"));
  EXPECT_EQ(FaultOfMake(Code::kReedSolomon, 0xffffffff, 2),
            Invalid("geometry.data_shards", "got 4294967295, want 1 to 254"));
  EXPECT_EQ(FaultOfMake(Code::kRaid6, 254, 2),
            Invalid("geometry.data_shards", "got 254, want 1 to 253"));
}

TEST(Geometry, RefusesTooFewOrTooManyParityShards) {
  EXPECT_EQ(FaultOfMake(Code::kReedSolomon, 4, 0),
            Invalid("geometry.parity_shards", "got 0, want 1 to 251"));
  EXPECT_EQ(FaultOfMake(Code::kReedSolomon, 200, 56),
            Invalid("geometry.parity_shards", "got 56, want 1 to 55"));
  EXPECT_EQ(FaultOfMake(Code::kReedSolomon, 2, 0xffffffff),
            Invalid("geometry.parity_shards", "got 4294967295, want 1 to 253"));
  EXPECT_EQ(FaultOfMake(Code::kXor, 4, 2), Invalid("geometry.parity_shards", "got 2, want 1"));
  EXPECT_EQ(FaultOfMake(Code::kRaid6, 4, 1), Invalid("geometry.parity_shards", "got 1, want 2"));
  EXPECT_EQ(FaultOfMake(Code::kRaid6, 4, 3), Invalid("geometry.parity_shards", "got 3, want 2"));
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

TEST(NameOf, KnowsMatrices) {
  EXPECT_EQ(NameOf(Matrix::kNone), "none");
  EXPECT_EQ(NameOf(Matrix::kCauchy), "cauchy");
}

}  // namespace
}  // namespace parity::codec
