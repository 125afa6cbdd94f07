// The 128-bit register of Arm's Advanced SIMD ("NEON") as a vector type.
//
// For ISA files only (see cover.h).
#ifndef PARITY_KERNELS_ISA_NEON_VECTOR_H_
#define PARITY_KERNELS_ISA_NEON_VECTOR_H_

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

#include "nibble_multiply.h"
#include "parity/kernels/gf256.h"

namespace parity::kernels {
namespace {

struct Neon {
  using Reg = uint8x16_t;
  using Narrower = Neon;  // there is none
  static constexpr size_t kBytes = 16;
  static constexpr int kSources = 1;

  static Reg Load(const uint8_t* p) { return vld1q_u8(p); }
  static void Store(uint8_t* p, Reg x) { vst1q_u8(p, x); }
  // Arm's CPUs notice long runs of stores themselves, so this is a store like any other.
  static void Stream(uint8_t* p, Reg x) { Store(p, x); }
  static void FenceStreams() {}
  static Reg Pin(Reg x) {
    asm("" : "+w"(x));
    return x;
  }
  static Reg Zero() { return vdupq_n_u8(0); }
  static bool IsZero(Reg x) { return vmaxvq_u32(vreinterpretq_u32_u8(x)) == 0; }
  static Reg Or(Reg a, Reg b) { return vorrq_u8(a, b); }
  static Reg Xor(Reg a, Reg b) { return veorq_u8(a, b); }
  static Reg Xor3(Reg a, Reg b, Reg c) {
#if defined(__ARM_FEATURE_SHA3)
    return veor3q_u8(a, b, c);
#else
    return Xor(Xor(a, b), c);
#endif
  }
  // 2 * x + y over GF(2^8).
  static Reg DoubleAdd(Reg x, Reg y) {
    const Reg carries = vcltzq_s8(vreinterpretq_s8_u8(x));
    return Xor3(vshlq_n_u8(x, 1), And(carries, Fill(kGfPolynomial & 0xff)), y);
  }
  // 4 * x + 2 * u + v.
  static Reg DoubleTwiceAdd(Reg x, Reg u, Reg v) { return DoubleAdd(DoubleAdd(x, u), v); }
  static Reg And(Reg a, Reg b) { return vandq_u8(a, b); }
  static Reg Fill(uint8_t byte) { return vdupq_n_u8(byte); }
  static Reg HighNibbles(Reg x) { return vshrq_n_u8(x, 4); }
  static Reg LoadTable(const uint8_t* p) { return vld1q_u8(p); }
  static Reg LookUp(Reg table, Reg index) { return vqtbl1q_u8(table, index); }
  static void ClearRegisters() {}
};

struct NeonMultiply : NibbleMultiply<Neon> {
  // What fits 32 registers: 4 rows of 4 lines would not.
  template <int kRows>
  static constexpr int kGfLines = kRows == 4 ? 3 : 4;
};

}  // namespace
}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_NEON_VECTOR_H_
