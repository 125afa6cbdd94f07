#include "parity/codec/factors.h"

#include "gtest/gtest.h"

namespace parity::codec {
namespace {

TEST(Factors, AreBySourceThenByOutput) {
  const Factors factors(2, 3, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(factors.sources(), 2u);
  EXPECT_EQ(factors.outputs(), 3u);
  EXPECT_EQ(factors.at(0, 2), 3);
  EXPECT_EQ(factors.at(1, 0), 4);
}

TEST(Factors, OfOnesForOneOutputAreXor) {
  EXPECT_EQ(Factors(1, 1, {1}).kernel(), Kernel::kXor);
  EXPECT_EQ(Factors(3, 1, {1, 1, 1}).kernel(), Kernel::kXor);
  EXPECT_EQ(Factors(3, 1, {1, 0, 1}).kernel(), Kernel::kMatrix);
  EXPECT_EQ(Factors(3, 1, {1, 1, 2}).kernel(), Kernel::kMatrix);
}

TEST(Factors, OfOnesAndPowersOf2ArePq) {
  EXPECT_EQ(Factors(1, 2, {1, 1}).kernel(), Kernel::kPq);
  EXPECT_EQ(Factors(3, 2, {1, 1, 1, 2, 1, 4}).kernel(), Kernel::kPq);
  EXPECT_EQ(Factors(3, 2, {1, 1, 1, 2, 1, 8}).kernel(), Kernel::kMatrix);
  EXPECT_EQ(Factors(2, 2, {1, 1, 2, 2}).kernel(), Kernel::kMatrix);
  EXPECT_EQ(Factors(2, 2, {1, 2, 1, 4}).kernel(), Kernel::kMatrix);
  EXPECT_EQ(Factors(1, 3, {1, 1, 1}).kernel(), Kernel::kMatrix);
}

}  // namespace
}  // namespace parity::codec
