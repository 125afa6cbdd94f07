#include "matrix.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace parity::codec {
namespace {

GfMatrix RandomMatrix(size_t rows, size_t columns, std::mt19937& random) {
  GfMatrix matrix(rows, columns);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t column = 0; column < columns; ++column) {
      matrix.at(row, column) = static_cast<uint8_t>(random());
    }
  }
  return matrix;
}

bool IsIdentity(const GfMatrix& matrix) {
  for (size_t row = 0; row < matrix.rows(); ++row) {
    for (size_t column = 0; column < matrix.columns(); ++column) {
      if (matrix.at(row, column) != (row == column ? 1 : 0)) return false;
    }
  }
  return matrix.rows() == matrix.columns();
}

TEST(GfMatrix, TimesItsInverseIsTheIdentity) {
  std::mt19937 random(1);
  size_t regular = 0;
  for (size_t size = 0; size < 40; ++size) {
    const GfMatrix matrix = RandomMatrix(size, size, random);
    const std::optional<GfMatrix> inverse = matrix.Inverted();
    if (!inverse.has_value()) continue;
    ++regular;
    EXPECT_TRUE(IsIdentity(matrix * *inverse)) << size;
    EXPECT_TRUE(IsIdentity(*inverse * matrix)) << size;
  }
  EXPECT_GE(regular, 35u);
}

TEST(GfMatrix, IsInvertedWithZerosOnItsDiagonal) {
  std::mt19937 random(2);
  std::vector<size_t> places(20);
  for (size_t i = 0; i < places.size(); ++i) places[i] = i;
  for (int round = 0; round < 20; ++round) {
    std::shuffle(places.begin(), places.end(), random);
    GfMatrix permutation(places.size(), places.size());
    for (size_t i = 0; i < places.size(); ++i) permutation.at(i, places[i]) = 3;
    EXPECT_TRUE(IsIdentity(permutation * permutation.Inverted().value()));
  }
}

TEST(GfMatrix, HasNoInverseIfItsRowsDepend) {
  std::mt19937 random(3);
  GfMatrix matrix = RandomMatrix(5, 5, random);
  for (size_t column = 0; column < 5; ++column) {
    matrix.at(4, column) = matrix.at(0, column) ^ Multiply(7, matrix.at(2, column));
  }
  EXPECT_FALSE(matrix.Inverted().has_value());
}

TEST(GfMatrix, MultipliesRowsByColumns) {
  GfMatrix a(1, 2);
  a.at(0, 0) = 2;
  a.at(0, 1) = 3;
  GfMatrix b(2, 2);
  b.at(0, 0) = 0x80;
  b.at(1, 0) = 1;
  b.at(1, 1) = 5;
  const GfMatrix product = a * b;
  EXPECT_EQ(product.rows(), 1u);
  EXPECT_EQ(product.columns(), 2u);
  EXPECT_EQ(product.at(0, 0), 0x1d ^ 3);
  EXPECT_EQ(product.at(0, 1), 0x0f);
}

}  // namespace
}  // namespace parity::codec
