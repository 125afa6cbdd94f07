// Kernels for AVX2: 256-bit registers, multiplication by byte shuffles.
#include "gf_matrix_kernel.h"
#include "nibble_multiply.h"
#include "pq_kernel.h"
#include "tables.h"
#include "xor_kernel.h"
#include "ymm_vector.h"

namespace parity::kernels {
namespace {

struct Vector : NibbleMultiply<Ymm> {
  // What fits 16 registers.
  template <int kRows>
  static constexpr int kGfLines = kRows == 1   ? 4
                                  : kRows == 2 ? 3
                                               : 2;
};

}  // namespace

const KernelTable kAvx2Table = {
    "avx2",
    kAvx2,
    32,
    XorGenerate<Vector>,
    PqGenerate<Vector>,
    GfMatrix<Vector>,
    GfMatrixAdd<Vector>,
    XorCompare<Vector>,
    PqCompare<Vector>,
    GfCompare<Vector>,
};

}  // namespace parity::kernels
