// The 512-bit register as a vector type.
//
// For ISA files only (see cover.h).
#ifndef PARITY_KERNELS_ISA_ZMM_VECTOR_H_
#define PARITY_KERNELS_ISA_ZMM_VECTOR_H_

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "x86_vectors.h"

namespace parity::kernels {
namespace {

struct Zmm {
  using Reg = __m512i;
  using Narrower = Ymm;
  static constexpr size_t kBytes = 64;

  static Reg Load(const uint8_t* p) { return _mm512_loadu_si512(p); }
  static void Store(uint8_t* p, Reg x) { _mm512_storeu_si512(p, x); }
  static Reg Zero() { return _mm512_setzero_si512(); }
  static Reg Xor(Reg a, Reg b) { return _mm512_xor_si512(a, b); }
  static Reg Xor3(Reg a, Reg b, Reg c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
  static Reg And(Reg a, Reg b) { return _mm512_and_si512(a, b); }
  static Reg Fill(uint8_t byte) { return _mm512_set1_epi8(static_cast<char>(byte)); }
  static Reg ShiftRight4(Reg x) { return _mm512_srli_epi16(x, 4); }
  // The 16 bytes at `p` in all quarters, as LookUp works within quarters. The full mask only spares
  // the warning that GCC 12 gives for its own unmasked form.
  static Reg LoadTable(const uint8_t* p) {
    return _mm512_maskz_broadcast_i32x4(0xffff,
                                        _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static Reg LookUp(Reg table, Reg index) { return _mm512_shuffle_epi8(table, index); }
  // vzeroupper does not reach registers 16 to 31, and a mask register that is not 0 is state of its
  // own: each would stay in use, and be saved and restored at every context switch.
  static void ClearRegisters() {
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
    _mm256_zeroupper();
  }
};

}  // namespace
}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_ZMM_VECTOR_H_
