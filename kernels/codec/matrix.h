// Small dense matrices over GF(2^8).
#ifndef PARITY_CODEC_MATRIX_H_
#define PARITY_CODEC_MATRIX_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "parity/kernels/gf256.h"

namespace parity::codec {

// a * b, by table.
inline uint8_t Multiply(uint8_t a, uint8_t b) { return kernels::kGfTables.product[a][b]; }

// 1 / a, by table; 0 for 0.
uint8_t Inverse(uint8_t a);

// Row-major.
class GfMatrix {
 public:
  // All zeros.
  GfMatrix(size_t rows, size_t columns)
      : rows_(rows), columns_(columns), elements_(rows * columns) {}

  size_t rows() const { return rows_; }
  size_t columns() const { return columns_; }
  uint8_t& at(size_t row, size_t column) { return elements_[row * columns_ + column]; }
  uint8_t at(size_t row, size_t column) const { return elements_[row * columns_ + column]; }

  // Gauss-Jordan; unset if the matrix is singular.
  // REQUIRES: rows() == columns().
  std::optional<GfMatrix> Inverted() const;

 private:
  size_t rows_;
  size_t columns_;
  std::vector<uint8_t> elements_;
};

// REQUIRES: a.columns() == b.rows().
GfMatrix operator*(const GfMatrix& a, const GfMatrix& b);

}  // namespace parity::codec

#endif  // PARITY_CODEC_MATRIX_H_
