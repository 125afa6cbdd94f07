#include "generator.h"

#include <cstdint>
#include <vector>

#include "arithmetic.h"

namespace parity::codec {
namespace {

// Rows by parity shard, k factors each.
using Rows = std::vector<uint8_t>;

Rows Cauchy(size_t k, size_t m) {
  Rows rows;
  for (size_t r = 0; r < m; ++r) {
    for (size_t j = 0; j < k; ++j) rows.push_back(Inverse(static_cast<uint8_t>((k + r) ^ j)));
  }
  return rows;
}

// (2^r)^j. The first row is XOR, the first two are RAID-6.
Rows Vandermonde(size_t k, size_t m) {
  Rows rows;
  uint8_t base = 1;  // 2^r
  for (size_t r = 0; r < m; ++r) {
    uint8_t power = 1;
    for (size_t j = 0; j < k; ++j) {
      rows.push_back(power);
      power = Multiply(power, base);
    }
    base = Multiply(base, 2);
  }
  return rows;
}

// Row r of a Vandermonde matrix holds a polynomial's monomials at point r, so its product with the
// inverse of the first k rows takes the polynomial's values at points 0..k-1 to that at point k+r:
// Lagrange's interpolation. The factor is the product of (k+r - i) / (j - i) over all i < k but j.
Rows SystematicVandermonde(size_t k, size_t m) {
  const auto difference = [](size_t a, size_t b) { return static_cast<uint8_t>(a ^ b); };
  std::vector<uint8_t> weights;  // 1 / the product of (j - i)
  for (size_t j = 0; j < k; ++j) {
    uint8_t product = 1;
    for (size_t i = 0; i < k; ++i) {
      if (i != j) product = Multiply(product, difference(j, i));
    }
    weights.push_back(Inverse(product));
  }
  Rows rows;
  for (size_t r = 0; r < m; ++r) {
    uint8_t product = 1;  // of (k+r - i) over all i
    for (size_t i = 0; i < k; ++i) product = Multiply(product, difference(k + r, i));
    for (size_t j = 0; j < k; ++j) {
      const uint8_t others = Multiply(product, Inverse(difference(k + r, j)));
      rows.push_back(Multiply(others, weights[j]));
    }
  }
  return rows;
}

Rows RowsOf(const Geometry& geometry) {
  const size_t k = geometry.data_shards();
  const size_t m = geometry.parity_shards();
  switch (geometry.matrix()) {
    case Matrix::kNone:
    case Matrix::kVandermonde:
      return Vandermonde(k, m);
    case Matrix::kCauchy:
      return Cauchy(k, m);
    case Matrix::kSystematicVandermonde:
      return SystematicVandermonde(k, m);
    case Matrix::kCustom:
      return Rows(geometry.custom_generator().begin(), geometry.custom_generator().end());
  }
  return {};
}

}  // namespace

std::shared_ptr<const Factors> GeneratorOf(const Geometry& geometry) {
  const size_t k = geometry.data_shards();
  const size_t m = geometry.parity_shards();
  const Rows rows = RowsOf(geometry);
  std::vector<uint8_t> source_major;
  source_major.reserve(k * m);
  for (size_t j = 0; j < k; ++j) {
    for (size_t r = 0; r < m; ++r) source_major.push_back(rows[r * k + j]);
  }
  return std::make_shared<const Factors>(k, m, source_major);
}

}  // namespace parity::codec
