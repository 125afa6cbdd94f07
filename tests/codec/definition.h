// The codes by their definitions, with arithmetic of its own: what the codec is tested against.
#ifndef PARITY_TESTS_CODEC_DEFINITION_H_
#define PARITY_TESTS_CODEC_DEFINITION_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "parity/codec/geometry.h"
#include "parity/kernels/gf256.h"

namespace parity::codec {

using Row = std::vector<uint8_t>;
using Rows = std::vector<Row>;

inline uint8_t Product(uint8_t a, uint8_t b) { return kernels::kGfTables.product[a][b]; }

// base^exponent; 0^0 is 1.
inline uint8_t Power(uint8_t base, uint32_t exponent) {
  uint8_t power = 1;
  for (uint32_t i = 0; i < exponent; ++i) power = kernels::GfMultiply(power, base);
  return power;
}

// Turns the first `columns` columns into row echelon form with leading ones and zeros elsewhere in
// their columns, and returns how many rows are not zero there.
inline size_t Eliminate(Rows& rows, size_t columns) {
  size_t rank = 0;
  for (size_t column = 0; column < columns; ++column) {
    size_t pivot = rank;
    while (pivot < rows.size() && rows[pivot][column] == 0) ++pivot;
    if (pivot == rows.size()) continue;
    std::swap(rows[pivot], rows[rank]);
    const uint8_t scale = kernels::GfInverse(rows[rank][column]);
    for (uint8_t& element : rows[rank]) element = Product(scale, element);
    for (size_t other = 0; other < rows.size(); ++other) {
      const uint8_t factor = rows[other][column];
      if (other == rank || factor == 0) continue;
      for (size_t i = 0; i < rows[other].size(); ++i) {
        rows[other][i] ^= Product(factor, rows[rank][i]);
      }
    }
    ++rank;
  }
  return rank;
}

inline size_t Rank(Rows rows) { return rows.empty() ? 0 : Eliminate(rows, rows[0].size()); }

inline Row UnitRow(size_t columns, size_t one) {
  Row row(columns);
  row[one] = 1;
  return row;
}

// Rows r^c of a Vandermonde matrix times the inverse of its first k rows, without those.
inline Rows DefinedSystematicVandermonde(uint32_t k, uint32_t m) {
  const auto vandermonde_row = [k](uint32_t r) {
    Row row;
    for (uint32_t c = 0; c < k; ++c) row.push_back(Power(static_cast<uint8_t>(r), c));
    return row;
  };
  Rows inverse;  // the first k rows, each followed by one of the identity; then their inverse
  for (uint32_t r = 0; r < k; ++r) {
    Row row = vandermonde_row(r);
    const Row unit = UnitRow(k, r);
    row.insert(row.end(), unit.begin(), unit.end());
    inverse.push_back(std::move(row));
  }
  Eliminate(inverse, k);
  Rows generator;
  for (uint32_t r = 0; r < m; ++r) {
    const Row row = vandermonde_row(k + r);
    Row product(k);
    for (uint32_t inner = 0; inner < k; ++inner) {
      for (uint32_t c = 0; c < k; ++c) product[c] ^= Product(row[inner], inverse[inner][k + c]);
    }
    generator.push_back(std::move(product));
  }
  return generator;
}

// The factors of the data shards, by parity shard.
inline Rows DefinedGenerator(const Geometry& geometry) {
  const uint32_t k = geometry.data_shards();
  const uint32_t m = geometry.parity_shards();
  if (geometry.matrix() == Matrix::kSystematicVandermonde) {
    return DefinedSystematicVandermonde(k, m);
  }
  Rows generator(m, Row(k));
  for (uint32_t r = 0; r < m; ++r) {
    for (uint32_t j = 0; j < k; ++j) {
      uint8_t& factor = generator[r][j];
      switch (geometry.matrix()) {
        case Matrix::kNone:
          factor = Power(2, r * j);
          break;
        case Matrix::kCauchy:
          factor = kernels::GfInverse(static_cast<uint8_t>((k + r) ^ j));
          break;
        case Matrix::kVandermonde:
          factor = Power(Power(2, r), j);
          break;
        case Matrix::kSystematicVandermonde:
          break;
        case Matrix::kCustom:
          factor = geometry.custom_generator()[r * k + j];
          break;
      }
    }
  }
  return generator;
}

// The factors of the data shards in every shard.
inline Rows DefinedRows(const Geometry& geometry) {
  Rows rows;
  for (uint32_t j = 0; j < geometry.data_shards(); ++j) {
    rows.push_back(UnitRow(geometry.data_shards(), j));
  }
  for (Row& row : DefinedGenerator(geometry)) rows.push_back(std::move(row));
  return rows;
}

// Whether shards `present` determine shard `wanted`: it adds nothing to their rank.
inline bool Determine(const Rows& rows, const std::vector<uint32_t>& present, uint32_t wanted) {
  Rows some;
  for (const uint32_t shard : present) some.push_back(rows[shard]);
  const size_t rank = Rank(some);
  some.push_back(rows[wanted]);
  return Rank(some) == rank;
}

}  // namespace parity::codec

#endif  // PARITY_TESTS_CODEC_DEFINITION_H_
