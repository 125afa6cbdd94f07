#include "matrix.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace parity::codec {
namespace {

constexpr std::array<uint8_t, 256> MakeInverses() {
  std::array<uint8_t, 256> inverses{};
  for (int a = 0; a < 256; ++a) inverses[a] = kernels::GfInverse(static_cast<uint8_t>(a));
  return inverses;
}

constexpr std::array<uint8_t, 256> kInverses = MakeInverses();

}  // namespace

uint8_t Inverse(uint8_t a) { return kInverses[a]; }

std::optional<GfMatrix> GfMatrix::Inverted() const {
  assert(rows() == columns());
  const size_t size = columns_;
  GfMatrix left = *this;
  GfMatrix right(size, size);
  for (size_t i = 0; i < size; ++i) right.at(i, i) = 1;

  // Turns `left` into the identity by operations on whole rows, and does the same to `right`.
  for (size_t pivot = 0; pivot < size; ++pivot) {
    size_t row = pivot;
    while (row < size && left.at(row, pivot) == 0) ++row;
    if (row == size) return std::nullopt;
    for (size_t column = 0; row != pivot && column < size; ++column) {
      std::swap(left.at(row, column), left.at(pivot, column));
      std::swap(right.at(row, column), right.at(pivot, column));
    }
    const uint8_t scale = Inverse(left.at(pivot, pivot));
    for (size_t column = 0; column < size; ++column) {
      left.at(pivot, column) = Multiply(scale, left.at(pivot, column));
      right.at(pivot, column) = Multiply(scale, right.at(pivot, column));
    }
    for (size_t other = 0; other < size; ++other) {
      const uint8_t factor = left.at(other, pivot);
      if (other == pivot || factor == 0) continue;
      for (size_t column = 0; column < size; ++column) {
        left.at(other, column) ^= Multiply(factor, left.at(pivot, column));
        right.at(other, column) ^= Multiply(factor, right.at(pivot, column));
      }
    }
  }
  return right;
}

GfMatrix operator*(const GfMatrix& a, const GfMatrix& b) {
  assert(a.columns() == b.rows());
  GfMatrix product(a.rows(), b.columns());
  for (size_t row = 0; row < a.rows(); ++row) {
    for (size_t inner = 0; inner < a.columns(); ++inner) {
      const uint8_t factor = a.at(row, inner);
      for (size_t column = 0; column < b.columns(); ++column) {
        product.at(row, column) ^= Multiply(factor, b.at(inner, column));
      }
    }
  }
  return product;
}

}  // namespace parity::codec
