// The 512-bit register as a vector type.
//
// For ISA files only (see cover.h).
#ifndef PARITY_KERNELS_ISA_ZMM_VECTOR_H_
#define PARITY_KERNELS_ISA_ZMM_VECTOR_H_

#include "ymm_vector.h"

namespace parity::kernels {
namespace {

struct Zmm {
  using Reg = __m512i;
  using Narrower = Ymm;
  static constexpr size_t kBytes = 64;
  static constexpr int kSources = 1;

  static Reg Load(const uint8_t* p) { return _mm512_loadu_si512(p); }
  static void Store(uint8_t* p, Reg x) { _mm512_storeu_si512(p, x); }
  static void Stream(uint8_t* p, Reg x) { _mm512_stream_si512(reinterpret_cast<__m512i*>(p), x); }
  static void FenceStreams() { _mm_sfence(); }
  // Keeps a value that is used twice in a register: GCC 12 would read it from memory each time.
  static Reg Pin(Reg x) {
    asm("" : "+v"(x));
    return x;
  }
  static Reg Zero() { return _mm512_setzero_si512(); }
  static bool IsZero(Reg x) { return _mm512_test_epi64_mask(x, x) == 0; }
  static Reg Or(Reg a, Reg b) { return _mm512_or_si512(a, b); }
  static Reg Xor(Reg a, Reg b) { return _mm512_xor_si512(a, b); }
  static Reg Xor3(Reg a, Reg b, Reg c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
  // 2 * x + y over GF(2^8).
  static Reg DoubleAdd(Reg x, Reg y) {
    const Reg reduction = _mm512_maskz_mov_epi8(_mm512_movepi8_mask(x), Fill(kGfPolynomial & 0xff));
    return Xor3(_mm512_add_epi8(x, x), reduction, y);
  }
  // 4 * x + 2 * u + v.
  static Reg DoubleTwiceAdd(Reg x, Reg u, Reg v) { return DoubleAdd(DoubleAdd(x, u), v); }
  static Reg And(Reg a, Reg b) { return _mm512_and_si512(a, b); }
  static Reg Fill(uint8_t byte) { return _mm512_set1_epi8(static_cast<char>(byte)); }
  static Reg HighNibbles(Reg x) { return And(_mm512_srli_epi16(x, 4), Fill(0x0f)); }
  // The 16 bytes at `p` in all quarters, as LookUp works within quarters. The full mask only spares
  // the warning that GCC 12 gives for its own unmasked form.
  static Reg LoadTable(const uint8_t* p) {
    return _mm512_maskz_broadcast_i32x4(0xffff,
                                        _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static Reg LookUp(Reg table, Reg index) { return _mm512_shuffle_epi8(table, index); }
  static void ClearRegisters() { ClearVectorRegisters(); }
};

}  // namespace
}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_ZMM_VECTOR_H_
