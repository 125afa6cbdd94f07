// Kernels for AVX-512 with GFNI: 512-bit registers, multiplication by 8 x 8 bit matrices.
#include "affine_multiply.h"
#include "gf_matrix_kernel.h"
#include "pq_kernel.h"
#include "tables.h"
#include "xor_kernel.h"
#include "zmm_vector.h"

namespace parity::kernels {
namespace {

struct Vector : AffineMultiply<Zmm> {
  // What fits 32 registers.
  template <int kRows>
  static constexpr int kGfLines = 4;
};

}  // namespace

const KernelTable kAvx512GfniTable = {
    "avx512gfni",        kAvx2 | kAvx512 | kGfni, 64,
    XorGenerate<Vector>, PqGenerate<Vector>,      GfMatrix<Vector>,
    GfMatrixAdd<Vector>, XorCompare<Vector>,      PqCompare<Vector>,
    GfCompare<Vector>,
};

}  // namespace parity::kernels
