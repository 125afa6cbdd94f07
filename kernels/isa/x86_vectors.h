// The registers that AVX2 knows, as vector types for XOR, and the operations on them that the
// multiplications build on.
//
// For ISA files only (see cover.h).
#ifndef PARITY_KERNELS_ISA_X86_VECTORS_H_
#define PARITY_KERNELS_ISA_X86_VECTORS_H_

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace parity::kernels {
namespace {

// kWidth bytes of memory in an xmm register; the other bytes of the register are 0.
template <size_t kWidth>
struct Xmm {
  using Reg = __m128i;
  using Narrower = Xmm<kWidth / 2>;
  static constexpr size_t kBytes = kWidth;

  static Reg Load(const uint8_t* p) {
    if constexpr (kWidth == 16) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    } else {
      uint64_t x = 0;
      __builtin_memcpy(&x, p, kWidth);
      return _mm_cvtsi64_si128(static_cast<int64_t>(x));
    }
  }
  static void Store(uint8_t* p, Reg x) {
    if constexpr (kWidth == 16) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(p), x);
    } else {
      const int64_t low = _mm_cvtsi128_si64(x);
      __builtin_memcpy(p, &low, kWidth);
    }
  }
  static Reg Zero() { return _mm_setzero_si128(); }
  static Reg Xor(Reg a, Reg b) { return _mm_xor_si128(a, b); }
  static Reg Xor3(Reg a, Reg b, Reg c) {
#if defined(__AVX512VL__)
    return _mm_ternarylogic_epi64(a, b, c, 0x96);
#else
    return Xor(Xor(a, b), c);
#endif
  }
  static Reg And(Reg a, Reg b) { return _mm_and_si128(a, b); }
  static Reg Fill(uint8_t byte) { return _mm_set1_epi8(static_cast<char>(byte)); }
  static Reg ShiftRight4(Reg x) { return _mm_srli_epi16(x, 4); }
  static Reg LoadTable(const uint8_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  static Reg LookUp(Reg table, Reg index) { return _mm_shuffle_epi8(table, index); }
};

struct Ymm {
  using Reg = __m256i;
  using Narrower = Xmm<16>;
  static constexpr size_t kBytes = 32;

  static Reg Load(const uint8_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static void Store(uint8_t* p, Reg x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x); }
  static Reg Zero() { return _mm256_setzero_si256(); }
  static Reg Xor(Reg a, Reg b) { return _mm256_xor_si256(a, b); }
  static Reg Xor3(Reg a, Reg b, Reg c) {
#if defined(__AVX512VL__)
    return _mm256_ternarylogic_epi64(a, b, c, 0x96);
#else
    return Xor(Xor(a, b), c);
#endif
  }
  static Reg And(Reg a, Reg b) { return _mm256_and_si256(a, b); }
  static Reg Fill(uint8_t byte) { return _mm256_set1_epi8(static_cast<char>(byte)); }
  static Reg ShiftRight4(Reg x) { return _mm256_srli_epi16(x, 4); }
  // The 16 bytes at `p` in both halves, as LookUp works within halves.
  static Reg LoadTable(const uint8_t* p) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static Reg LookUp(Reg table, Reg index) { return _mm256_shuffle_epi8(table, index); }
  // vzeroupper: the only vector state that AVX2 code leaves behind is above the xmm registers.
  static void ClearRegisters() { _mm256_zeroupper(); }
};

}  // namespace
}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_X86_VECTORS_H_
