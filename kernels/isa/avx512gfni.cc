// Kernels for AVX-512 with GFNI: 512-bit registers, multiplication by 8 x 8 bit matrices.
#include "gf_matrix_kernel.h"
#include "parity/kernels/gf256.h"
#include "tables.h"
#include "xor_kernel.h"
#include "zmm_vector.h"

namespace parity::kernels {
namespace {

__m128i Broadcast(int64_t x, __m128i) { return _mm_set1_epi64x(x); }
__m256i Broadcast(int64_t x, __m256i) { return _mm256_set1_epi64x(x); }
__m512i Broadcast(int64_t x, __m512i) { return _mm512_set1_epi64(x); }

__m128i Affine(__m128i x, __m128i matrix) { return _mm_gf2p8affine_epi64_epi8(x, matrix, 0); }
__m256i Affine(__m256i x, __m256i matrix) { return _mm256_gf2p8affine_epi64_epi8(x, matrix, 0); }
__m512i Affine(__m512i x, __m512i matrix) { return _mm512_gf2p8affine_epi64_epi8(x, matrix, 0); }

template <class V>
struct AffineMultiply : V {
  using Reg = typename V::Reg;
  using Operand = Reg;
  using Factor = Reg;
  using Narrower = AffineMultiply<typename V::Narrower>;
  static constexpr int kSources = 2;

  // The empty asm keeps the operand in a register: GCC 12 would read it from memory once for each
  // factor.
  static Operand Prepare(Reg x) {
    asm("" : "+v"(x));
    return x;
  }
  // The empty asm keeps the broadcast apart from the multiplication: clang 14 encodes the
  // displacement of a GF2P8AFFINEQB with a broadcast memory operand unscaled, and so reads a wrong
  // factor.
  static Factor LoadFactor(uint8_t coefficient) {
    Reg matrix = Broadcast(static_cast<int64_t>(kGfTables.affine[coefficient]), Reg{});
    asm("" : "+v"(matrix));
    return matrix;
  }
  static Reg MultiplyAdd(Reg sum, Operand x, Factor c) { return V::Xor(sum, Affine(x, c)); }
  static Reg MultiplyAdd(Reg sum, Operand x, Factor c, Operand y, Factor d) {
    return V::Xor3(sum, Affine(x, c), Affine(y, d));
  }
};

struct Vector : AffineMultiply<Zmm> {
  // What fits 32 registers.
  static constexpr int kGfRows = 4;
  template <int kRows>
  static constexpr int kGfLines = 4;
};

}  // namespace

const KernelTable kAvx512GfniTable = {
    "avx512gfni", kAvx2 | kAvx512 | kGfni, true, XorGenerate<Vector>, GfMatrix<Vector>,
};

}  // namespace parity::kernels
