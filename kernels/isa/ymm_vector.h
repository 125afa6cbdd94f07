// The 256-bit register as a vector type; of integers, so it needs AVX2.
//
// For ISA files only (see cover.h).
#ifndef PARITY_KERNELS_ISA_YMM_VECTOR_H_
#define PARITY_KERNELS_ISA_YMM_VECTOR_H_

#include "xmm_vector.h"

namespace parity::kernels {
namespace {

struct Ymm {
  using Reg = __m256i;
  using Narrower = Xmm;
  static constexpr size_t kBytes = 32;
  static constexpr int kSources = 1;

  static Reg Load(const uint8_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static void Store(uint8_t* p, Reg x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x); }
  static void Stream(uint8_t* p, Reg x) { _mm256_stream_si256(reinterpret_cast<__m256i*>(p), x); }
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
  static Reg Zero() { return _mm256_setzero_si256(); }
  static bool IsZero(Reg x) { return _mm256_testz_si256(x, x) != 0; }
  static Reg Or(Reg a, Reg b) { return _mm256_or_si256(a, b); }
  static Reg Xor(Reg a, Reg b) { return _mm256_xor_si256(a, b); }
  static Reg Xor3(Reg a, Reg b, Reg c) {
#if defined(__AVX512VL__)
    return _mm256_ternarylogic_epi64(a, b, c, 0x96);
#else
    return Xor(Xor(a, b), c);
#endif
  }
  // 2 * x + y over GF(2^8).
  static Reg DoubleAdd(Reg x, Reg y) {
    const Reg carries = _mm256_cmpgt_epi8(_mm256_setzero_si256(), x);
    return Xor3(_mm256_add_epi8(x, x), And(carries, Fill(kGfPolynomial & 0xff)), y);
  }
  // 4 * x + 2 * u + v.
  static Reg DoubleTwiceAdd(Reg x, Reg u, Reg v) { return DoubleAdd(DoubleAdd(x, u), v); }
  static Reg And(Reg a, Reg b) { return _mm256_and_si256(a, b); }
  static Reg Fill(uint8_t byte) { return _mm256_set1_epi8(static_cast<char>(byte)); }
  static Reg HighNibbles(Reg x) { return And(_mm256_srli_epi16(x, 4), Fill(0x0f)); }
  // The 16 bytes at `p` in both halves, as LookUp works within halves.
  static Reg LoadTable(const uint8_t* p) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static Reg LookUp(Reg table, Reg index) { return _mm256_shuffle_epi8(table, index); }
  static void ClearRegisters() { ClearVectorRegisters(); }
};

}  // namespace
}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_YMM_VECTOR_H_
