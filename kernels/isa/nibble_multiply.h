// Multiplication over GF(2^8) by byte shuffles: c * x is the sum of two look-ups in tables of 16,
// one for each half of x (Plank, Greenan, Miller: "Screaming Fast Galois Field Arithmetic Using
// Intel SIMD Instructions", FAST 2013).
//
// For ISA files only (see cover.h).
#ifndef PARITY_KERNELS_ISA_NIBBLE_MULTIPLY_H_
#define PARITY_KERNELS_ISA_NIBBLE_MULTIPLY_H_

#include <cstdint>

#include "parity/kernels/gf256.h"

namespace parity::kernels {
namespace {

template <class V>
struct NibbleMultiply : V {
  using Reg = typename V::Reg;
  using Narrower = NibbleMultiply<typename V::Narrower>;
  struct Operand {
    Reg low, high;
  };
  struct Factor {
    Reg low, high;
  };

  static Operand Prepare(Reg x) { return {V::And(x, V::Fill(0x0f)), V::HighNibbles(x)}; }
  static Factor LoadFactor(const GfFactor& factor) {
    const uint8_t* table = kGfTables.nibbles[factor.coefficient];
    return {V::LoadTable(table), V::LoadTable(table + 16)};
  }
  static Reg MultiplyAdd(Reg sum, const Operand& x, const Factor& c) {
    return V::Xor3(sum, V::LookUp(c.low, x.low), V::LookUp(c.high, x.high));
  }
};

}  // namespace
}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_NIBBLE_MULTIPLY_H_
