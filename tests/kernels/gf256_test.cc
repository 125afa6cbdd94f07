#include "parity/kernels/gf256.h"

#include "gtest/gtest.h"

namespace parity::kernels {
namespace {

TEST(GfMultiply, ReducesByThePolynomial) {
  EXPECT_EQ(GfMultiply(0x80, 2), 0x1d);
  EXPECT_EQ(GfMultiply(0xff, 0xff), 0xe2);
}

TEST(GfMultiply, IsCommutativeAndHasOne) {
  for (int a = 0; a < 256; ++a) {
    EXPECT_EQ(GfMultiply(static_cast<uint8_t>(a), 1), a);
    for (int b = 0; b < 256; ++b) {
      ASSERT_EQ(GfMultiply(static_cast<uint8_t>(a), static_cast<uint8_t>(b)),
                GfMultiply(static_cast<uint8_t>(b), static_cast<uint8_t>(a)));
    }
  }
}

TEST(GfMultiply, ByTwoReachesEveryNonZeroElement) {
  uint8_t power = 1;
  int order = 0;
  do {
    power = GfMultiply(power, 2);
    ++order;
  } while (power != 1);
  EXPECT_EQ(order, 255);
}

TEST(GfInverse, GivesOneWhenMultiplied) {
  EXPECT_EQ(GfInverse(0), 0);
  for (int a = 1; a < 256; ++a) {
    const uint8_t element = static_cast<uint8_t>(a);
    EXPECT_EQ(GfMultiply(element, GfInverse(element)), 1) << a;
  }
}

TEST(GfTables, HoldEveryProduct) {
  for (int c = 0; c < 256; ++c) {
    for (int x = 0; x < 256; ++x) {
      const uint8_t product = GfMultiply(static_cast<uint8_t>(c), static_cast<uint8_t>(x));
      ASSERT_EQ(kGfTables.product[c][x], product) << c << " * " << x;
      ASSERT_EQ(kGfTables.nibbles[c][x & 0xf] ^ kGfTables.nibbles[c][16 + (x >> 4)], product)
          << c << " * " << x;
    }
  }
}

// GF2P8AFFINEQB as Intel's manual defines it: bit i of the result is the parity of byte 7 - i of
// the matrix and x.
uint8_t Affine(uint64_t matrix, uint8_t x) {
  uint8_t result = 0;
  for (int bit = 0; bit < 8; ++bit) {
    const uint8_t row = static_cast<uint8_t>(matrix >> (8 * (7 - bit)));
    result |= static_cast<uint8_t>(__builtin_parity(row & x) << bit);
  }
  return result;
}

TEST(FactorOf, HoldsTheCoefficientAndItsMatrix) {
  for (int c = 0; c < 256; ++c) {
    const GfFactor factor = FactorOf(static_cast<uint8_t>(c));
    EXPECT_EQ(factor.coefficient, static_cast<uint64_t>(c));
    for (int x = 0; x < 256; ++x) {
      ASSERT_EQ(Affine(factor.affine, static_cast<uint8_t>(x)), kGfTables.product[c][x])
          << c << " * " << x;
    }
  }
}

}  // namespace
}  // namespace parity::kernels
