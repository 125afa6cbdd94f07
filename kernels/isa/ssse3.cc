// Kernels for SSSE3: 128-bit registers, multiplication by byte shuffles.
#include "gf_matrix_kernel.h"
#include "nibble_multiply.h"
#include "pq_kernel.h"
#include "tables.h"
#include "xmm_vector.h"
#include "xor_kernel.h"

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

const KernelTable kSsse3Table = {
    "ssse3",
    kSsse3,
    16,
    XorGenerate<Vector>,
    PqGenerate<Vector>,
    GfMatrix<Vector>,
    GfMatrixAdd<Vector>,
    XorCompare<Vector>,
    PqCompare<Vector>,
    GfCompare<Vector>,
};

}  // namespace parity::kernels
