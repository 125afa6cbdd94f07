// The 256-bit register of AVX without AVX2, which XORs it as floating-point numbers.
//
// For ISA files only (see cover.h).
#ifndef PARITY_KERNELS_ISA_YMM_FLOAT_VECTOR_H_
#define PARITY_KERNELS_ISA_YMM_FLOAT_VECTOR_H_

#include "xmm_vector.h"

namespace parity::kernels {
namespace {

struct YmmFloat {
  using Reg = __m256;
  using Narrower = Xmm;
  static constexpr size_t kBytes = 32;

  static Reg Load(const uint8_t* p) { return _mm256_loadu_ps(reinterpret_cast<const float*>(p)); }
  static void Store(uint8_t* p, Reg x) { _mm256_storeu_ps(reinterpret_cast<float*>(p), x); }
  static void Stream(uint8_t* p, Reg x) { _mm256_stream_ps(reinterpret_cast<float*>(p), x); }
  static void FenceStreams() { _mm_sfence(); }
  static Reg Zero() { return _mm256_setzero_ps(); }
  static bool IsZero(Reg x) {
    const __m256i bits = _mm256_castps_si256(x);
    return _mm256_testz_si256(bits, bits) != 0;
  }
  static Reg Or(Reg a, Reg b) { return _mm256_or_ps(a, b); }
  static Reg Xor(Reg a, Reg b) { return _mm256_xor_ps(a, b); }
  static Reg Xor3(Reg a, Reg b, Reg c) { return Xor(Xor(a, b), c); }
  static void ClearRegisters() { ClearVectorRegisters(); }
};

}  // namespace
}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_YMM_FLOAT_VECTOR_H_
