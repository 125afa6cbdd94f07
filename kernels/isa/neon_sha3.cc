// Kernels for NEON with the SHA-3 extension, of which they use the three-way XOR (EOR3).
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

const KernelTable kNeonSha3Table = {
    "neon_sha3",         kNeon | kNeonSha3,  16,
    XorGenerate<Vector>, PqGenerate<Vector>, GfMatrix<Vector>,
    GfMatrixAdd<Vector>, XorCompare<Vector>, PqCompare<Vector>,
    GfCompare<Vector>,
};

}  // namespace parity::kernels
