#include "parity/kernels/gf256.h"

namespace parity::kernels {
namespace {

// Rows are sums of c * 2^bit, because a compiler refuses to evaluate 65,536 GfMultiply for a
// constant.
constexpr GfTables MakeGfTables() {
  GfTables tables{};
  for (int c = 0; c < 256; ++c) {
    for (int bit = 0; bit < 8; ++bit) {
      const int power = 1 << bit;
      const uint8_t scaled = GfMultiply(static_cast<uint8_t>(c), static_cast<uint8_t>(power));
      for (int x = power; x < 2 * power; ++x) {
        tables.product[c][x] = tables.product[c][x - power] ^ scaled;
      }
      // Bit `row` of a result is the parity of the operand under byte 7 - row of the matrix.
      for (int row = 0; row < 8; ++row) {
        tables.factors[c].affine |= static_cast<uint64_t>((scaled >> row) & 1)
                                    << (8 * (7 - row) + bit);
      }
    }
    tables.factors[c].coefficient = static_cast<uint64_t>(c);
    for (int x = 0; x < 16; ++x) {
      tables.nibbles[c][x] = tables.product[c][x];
      tables.nibbles[c][16 + x] = tables.product[c][x << 4];
    }
  }
  return tables;
}

}  // namespace

constexpr GfTables kGfTables = MakeGfTables();

}  // namespace parity::kernels
