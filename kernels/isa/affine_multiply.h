// Multiplication over GF(2^8) by 8 x 8 bit matrices: GF2P8AFFINEQB of the GFNI extension, for xmm,
// ymm and zmm registers.
//
// For ISA files only (see cover.h).
#ifndef PARITY_KERNELS_ISA_AFFINE_MULTIPLY_H_
#define PARITY_KERNELS_ISA_AFFINE_MULTIPLY_H_

#include <immintrin.h>

#include <cstdint>

#include "parity/kernels/gf256.h"

namespace parity::kernels {
namespace {

inline __m128i Broadcast(int64_t x, __m128i) { return _mm_set1_epi64x(x); }
inline __m256i Broadcast(int64_t x, __m256i) { return _mm256_set1_epi64x(x); }
inline __m128i Affine(__m128i x, __m128i matrix) {
  return _mm_gf2p8affine_epi64_epi8(x, matrix, 0);
}
inline __m256i Affine(__m256i x, __m256i matrix) {
  return _mm256_gf2p8affine_epi64_epi8(x, matrix, 0);
}
#if defined(__AVX512F__)
inline __m512i Broadcast(int64_t x, __m512i) { return _mm512_set1_epi64(x); }
inline __m512i Affine(__m512i x, __m512i matrix) {
  return _mm512_gf2p8affine_epi64_epi8(x, matrix, 0);
}
#endif

template <class V>
struct AffineMultiply : V {
  using Reg = typename V::Reg;
  using Operand = Reg;
  using Factor = Reg;
  using Narrower = AffineMultiply<typename V::Narrower>;
  static constexpr int kSources = 2;

  static Operand Prepare(Reg x) { return V::Pin(x); }
  // Pinned, so that the broadcast stays apart from the multiplication: clang 14 encodes the
  // displacement of a GF2P8AFFINEQB with a broadcast memory operand unscaled, and so reads a wrong
  // factor.
  static Factor LoadFactor(const GfFactor& factor) {
    return V::Pin(Broadcast(static_cast<int64_t>(factor.affine), Reg{}));
  }
  static Reg MultiplyAdd(Reg sum, Operand x, Factor c) { return V::Xor(sum, Affine(x, c)); }
  static Reg MultiplyAdd(Reg sum, Operand x, Factor c, Operand y, Factor d) {
    return V::Xor3(sum, Affine(x, c), Affine(y, d));
  }
  static Reg DoubleAdd(Reg x, Reg y) {
    return V::Xor(Affine(x, LoadFactor(kGfTables.factors[2])), y);
  }
  static Reg DoubleTwiceAdd(Reg x, Reg u, Reg v) {
    return V::Xor3(Affine(x, LoadFactor(kGfTables.factors[4])),
                   Affine(u, LoadFactor(kGfTables.factors[2])), v);
  }
};

}  // namespace
}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_AFFINE_MULTIPLY_H_
