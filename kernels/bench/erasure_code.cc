#include "erasure_code.h"

namespace parity::bench {
namespace {

using kernels::GfInverse;
using kernels::GfMultiply;

// row[to] += factor * row[from]
void AddRow(Matrix& matrix, size_t to, size_t from, uint8_t factor) {
  for (size_t j = 0; j < matrix[to].size(); ++j) {
    matrix[to][j] ^= GfMultiply(factor, matrix[from][j]);
  }
}

// Turns [A | B] into [I | B / A]. No pivot is 0: every minor of a Cauchy matrix is regular.
void Eliminate(Matrix& matrix) {
  for (size_t i = 0; i < matrix.size(); ++i) {
    const uint8_t scale = GfInverse(matrix[i][i]);
    for (uint8_t& x : matrix[i]) x = GfMultiply(scale, x);
    for (size_t other = 0; other < matrix.size(); ++other) {
      if (other != i) AddRow(matrix, other, i, matrix[other][i]);
    }
  }
}

}  // namespace

Matrix CauchyParity(size_t k, size_t m) {
  Matrix matrix(m, std::vector<uint8_t>(k));
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < k; ++j) matrix[i][j] = GfInverse(static_cast<uint8_t>((k + i) ^ j));
  }
  return matrix;
}

Matrix PqParity(size_t k) {
  Matrix matrix(2, std::vector<uint8_t>(k, 1));
  for (size_t j = 1; j < k; ++j) matrix[1][j] = GfMultiply(2, matrix[1][j - 1]);
  return matrix;
}

Matrix CauchyReconstruction(size_t k, size_t lost) {
  // parity = A * lost data + C * other data, so lost data = C / A * other data + I / A * parity.
  Matrix matrix = CauchyParity(k, lost);
  for (size_t i = 0; i < lost; ++i) {
    for (size_t parity = 0; parity < lost; ++parity) matrix[i].push_back(parity == i ? 1 : 0);
  }
  Eliminate(matrix);
  for (std::vector<uint8_t>& row : matrix) {
    row.erase(row.begin(), row.begin() + static_cast<ptrdiff_t>(lost));
  }
  return matrix;
}

std::vector<kernels::GfFactor> SourceMajor(const Matrix& matrix) {
  std::vector<kernels::GfFactor> factors;
  for (size_t j = 0; j < matrix.front().size(); ++j) {
    for (const std::vector<uint8_t>& row : matrix) factors.push_back(kernels::FactorOf(row[j]));
  }
  return factors;
}

}  // namespace parity::bench
