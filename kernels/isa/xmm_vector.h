// The 128-bit register as a vector type.
//
// For ISA files only (see cover.h).
#ifndef PARITY_KERNELS_ISA_XMM_VECTOR_H_
#define PARITY_KERNELS_ISA_XMM_VECTOR_H_

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "parity/kernels/gf256.h"

namespace parity::kernels {
namespace {

// Brings the vector registers to their initial state, but for what the xmm registers 0 to 15 hold.
// vzeroupper does not reach registers 16 to 31, and a mask register that is not 0 is state of its
// own: each would stay in use, and be saved and restored at every context switch.
//
// Which of them code has touched cannot be told from the code: GCC 12 keeps pointers and flags in
// any of them.
inline void ClearVectorRegisters() {
#if defined(__AVX512VL__)
  asm volatile(
      "vpxord %%xmm16, %%xmm16, %%xmm16\n\t"
      "vpxord %%xmm17, %%xmm17, %%xmm17\n\t"
      "vpxord %%xmm18, %%xmm18, %%xmm18\n\t"
      "vpxord %%xmm19, %%xmm19, %%xmm19\n\t"
      "vpxord %%xmm20, %%xmm20, %%xmm20\n\t"
      "vpxord %%xmm21, %%xmm21, %%xmm21\n\t"
      "vpxord %%xmm22, %%xmm22, %%xmm22\n\t"
      "vpxord %%xmm23, %%xmm23, %%xmm23\n\t"
      "vpxord %%xmm24, %%xmm24, %%xmm24\n\t"
      "vpxord %%xmm25, %%xmm25, %%xmm25\n\t"
      "vpxord %%xmm26, %%xmm26, %%xmm26\n\t"
      "vpxord %%xmm27, %%xmm27, %%xmm27\n\t"
      "vpxord %%xmm28, %%xmm28, %%xmm28\n\t"
      "vpxord %%xmm29, %%xmm29, %%xmm29\n\t"
      "vpxord %%xmm30, %%xmm30, %%xmm30\n\t"
      "vpxord %%xmm31, %%xmm31, %%xmm31\n\t"
      "kxorq %%k0, %%k0, %%k0\n\t"
      "kxorq %%k1, %%k1, %%k1\n\t"
      "kxorq %%k2, %%k2, %%k2\n\t"
      "kxorq %%k3, %%k3, %%k3\n\t"
      "kxorq %%k4, %%k4, %%k4\n\t"
      "kxorq %%k5, %%k5, %%k5\n\t"
      "kxorq %%k6, %%k6, %%k6\n\t"
      "kxorq %%k7, %%k7, %%k7" ::
          : "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24",
            "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3",
            "k4", "k5", "k6", "k7");
#endif
#if defined(__AVX__)
  _mm256_zeroupper();
#endif
}

struct Xmm {
  using Reg = __m128i;
  using Narrower = Xmm;  // there is none
  static constexpr size_t kBytes = 16;
  static constexpr int kSources = 1;

  static Reg Load(const uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
  static void Store(uint8_t* p, Reg x) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), x); }
  static void Stream(uint8_t* p, Reg x) { _mm_stream_si128(reinterpret_cast<__m128i*>(p), x); }
  static void FenceStreams() { _mm_sfence(); }
  // Keeps a value that is used twice in a register: GCC 12 would read it from memory each time.
  static Reg Pin(Reg x) {
#if defined(__AVX512VL__)
    asm("" : "+v"(x));
#else
    asm("" : "+x"(x));
#endif
    return x;
  }
  static Reg Zero() { return _mm_setzero_si128(); }
  static bool IsZero(Reg x) {
    return _mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_setzero_si128())) == 0xffff;
  }
  static Reg Or(Reg a, Reg b) { return _mm_or_si128(a, b); }
  static Reg Xor(Reg a, Reg b) { return _mm_xor_si128(a, b); }
  static Reg Xor3(Reg a, Reg b, Reg c) {
#if defined(__AVX512VL__)
    return _mm_ternarylogic_epi64(a, b, c, 0x96);
#else
    return Xor(Xor(a, b), c);
#endif
  }
  // 2 * x + y over GF(2^8).
  static Reg DoubleAdd(Reg x, Reg y) {
    const Reg carries = _mm_cmpgt_epi8(_mm_setzero_si128(), x);
    return Xor3(_mm_add_epi8(x, x), And(carries, Fill(kGfPolynomial & 0xff)), y);
  }
  // 4 * x + 2 * u + v.
  static Reg DoubleTwiceAdd(Reg x, Reg u, Reg v) { return DoubleAdd(DoubleAdd(x, u), v); }
  static Reg And(Reg a, Reg b) { return _mm_and_si128(a, b); }
  static Reg Fill(uint8_t byte) { return _mm_set1_epi8(static_cast<char>(byte)); }
#if defined(__SSSE3__)
  static Reg HighNibbles(Reg x) { return And(_mm_srli_epi16(x, 4), Fill(0x0f)); }
  static Reg LoadTable(const uint8_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  static Reg LookUp(Reg table, Reg index) { return _mm_shuffle_epi8(table, index); }
#endif
  static void ClearRegisters() { ClearVectorRegisters(); }
};

}  // namespace
}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_XMM_VECTOR_H_
