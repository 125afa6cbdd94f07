// Words of 8 bytes as vectors, for any CPU: multiplication by table look-up.
//
// For ISA files only (see cover.h).
#ifndef PARITY_KERNELS_ISA_WORD_VECTOR_H_
#define PARITY_KERNELS_ISA_WORD_VECTOR_H_

#include <cstddef>
#include <cstdint>

#include "parity/kernels/gf256.h"

namespace parity::kernels {
namespace {

struct Word {
  using Reg = uint64_t;
  using Operand = Reg;
  using Factor = const uint8_t*;
  using Narrower = Word;  // there is none
  static constexpr size_t kBytes = 8;
  static constexpr int kSources = 1;
  template <int kRows>
  static constexpr int kGfLines = 2;

  static Reg Load(const uint8_t* p) {
    Reg x;
    __builtin_memcpy(&x, p, kBytes);
    return x;
  }
  static void Store(uint8_t* p, Reg x) { __builtin_memcpy(p, &x, kBytes); }
  static void Stream(uint8_t* p, Reg x) { Store(p, x); }
  static void FenceStreams() {}
  static Reg Pin(Reg x) { return x; }
  static Reg Zero() { return 0; }
  static bool IsZero(Reg x) { return x == 0; }
  static Reg Or(Reg a, Reg b) { return a | b; }
  static Reg Xor(Reg a, Reg b) { return a ^ b; }
  static Reg Xor3(Reg a, Reg b, Reg c) { return Xor(Xor(a, b), c); }
  static Reg DoubleAdd(Reg x, Reg y) {
    constexpr uint64_t kOnes = 0x0101010101010101;
    return ((x & ~(kOnes << 7)) << 1) ^ ((x >> 7 & kOnes) * (kGfPolynomial & 0xff)) ^ y;
  }
  // 4 * x + 2 * u + v.
  static Reg DoubleTwiceAdd(Reg x, Reg u, Reg v) { return DoubleAdd(DoubleAdd(x, u), v); }
  static Operand Prepare(Reg x) { return x; }
  static Factor LoadFactor(const GfFactor& factor) { return kGfTables.product[factor.coefficient]; }
  static Reg MultiplyAdd(Reg sum, Operand x, Factor product) {
#pragma GCC unroll 8
    for (int shift = 0; shift < 64; shift += 8) {
      sum ^= static_cast<Reg>(product[(x >> shift) & 0xff]) << shift;
    }
    return sum;
  }
  static void ClearRegisters() {}
};

}  // namespace
}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_WORD_VECTOR_H_
