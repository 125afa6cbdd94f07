// Kernels for AVX-512 without GFNI: 512-bit registers, multiplication by byte shuffles.
#include "gf_matrix_kernel.h"
#include "nibble_multiply.h"
#include "pq_kernel.h"
#include "tables.h"
#include "xor_kernel.h"
#include "zmm_vector.h"

namespace parity::kernels {
namespace {

struct Vector : NibbleMultiply<Zmm> {
  // What fits 32 registers.
  template <int kRows>
  static constexpr int kGfLines = 4;
};

}  // namespace

const KernelTable kAvx512Table = {
    "avx512",
    kAvx2 | kAvx512,
    64,
    XorGenerate<Vector>,
    PqGenerate<Vector>,
    GfMatrix<Vector>,
    GfMatrixAdd<Vector>,
    XorCompare<Vector>,
    PqCompare<Vector>,
    GfCompare<Vector>,
};

}  // namespace parity::kernels
