// Kernels for AVX2: 256-bit registers, multiplication by byte shuffles.
#include "gf_matrix_kernel.h"
#include "nibble_multiply.h"
#include "tables.h"
#include "x86_vectors.h"
#include "xor_kernel.h"

namespace parity::kernels {
namespace {

struct Vector : NibbleMultiply<Ymm> {
  // What fits 16 registers.
  static constexpr int kGfRows = 4;
  template <int kRows>
  static constexpr int kGfLines = kRows == 1   ? 4
                                  : kRows == 2 ? 3
                                               : 2;
};

}  // namespace

const KernelTable kAvx2Table = {
    "avx2", kAvx2, false, XorGenerate<Vector>, GfMatrix<Vector>,
};

}  // namespace parity::kernels
