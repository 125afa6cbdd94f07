// Kernels for NEON, which every 64-bit Arm CPU that runs Linux has: 128-bit registers,
// multiplication by byte shuffles.
#include "gf_matrix_kernel.h"
#include "neon_vector.h"
#include "nibble_multiply.h"
#include "pq_kernel.h"
#include "tables.h"
#include "xor_kernel.h"

namespace parity::kernels {
namespace {

struct Vector : NibbleMultiply<Neon> {
  // What fits 32 registers.
  template <int kRows>
  static constexpr int kGfLines = kRows == 4 ? 3 : 4;
};

}  // namespace

const KernelTable kNeonTable = {
    "neon",
    kNeon,
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
