// Kernels for AVX2 with GFNI: 256-bit registers, multiplication by 8 x 8 bit matrices.
#include "affine_multiply.h"
#include "gf_matrix_kernel.h"
#include "pq_kernel.h"
#include "tables.h"
#include "xor_kernel.h"
#include "ymm_vector.h"

namespace parity::kernels {
namespace {

struct Vector : AffineMultiply<Ymm> {
  // What fits 16 registers.
  template <int kRows>
  static constexpr int kGfLines = kRows == 1   ? 4
                                  : kRows == 2 ? 3
                                               : 2;
};

}  // namespace

const KernelTable kAvx2GfniTable = {
    "avx2gfni",          kAvx2 | kGfni,      32,
    XorGenerate<Vector>, PqGenerate<Vector>, GfMatrix<Vector>,
    GfMatrixAdd<Vector>, XorCompare<Vector>, PqCompare<Vector>,
    GfCompare<Vector>,
};

}  // namespace parity::kernels
