// Kernels for AVX without AVX2: 256-bit XOR; everything else needs integers, of which AVX has
// 128-bit operations only.
#include "gf_matrix_kernel.h"
#include "nibble_multiply.h"
#include "pq_kernel.h"
#include "tables.h"
#include "xmm_vector.h"
#include "xor_kernel.h"
#include "ymm_float_vector.h"

namespace parity::kernels {
namespace {

struct Vector : NibbleMultiply<Xmm> {
  // What fits 16 registers.
  template <int kRows>
  static constexpr int kGfLines = kRows == 1   ? 4
                                  : kRows == 2 ? 3
                                               : 2;
};

}  // namespace

const KernelTable kAvxTable = {
    "avx",
    kAvx,
    32,
    XorGenerate<YmmFloat>,
    PqGenerate<Vector>,
    GfMatrix<Vector>,
    GfMatrixAdd<Vector>,
    XorCompare<YmmFloat>,
    PqCompare<Vector>,
    GfCompare<Vector>,
};

}  // namespace parity::kernels
