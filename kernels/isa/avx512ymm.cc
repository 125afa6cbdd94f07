// Kernels for AVX-512 where 512-bit registers lower the clock: 32 registers of 256 bits, three-way
// XOR, multiplication by byte shuffles.
#include "gf_matrix_kernel.h"
#include "nibble_multiply.h"
#include "pq_kernel.h"
#include "tables.h"
#include "xor_kernel.h"
#include "ymm_vector.h"

namespace parity::kernels {
namespace {

struct Vector : NibbleMultiply<Ymm> {
  // What fits 32 registers.
  template <int kRows>
  static constexpr int kGfLines = 4;
};

}  // namespace

const KernelTable kAvx512YmmTable = {
    "avx512ymm",         kAvx2 | kAvx512,    32,
    XorGenerate<Vector>, PqGenerate<Vector>, GfMatrix<Vector>,
    GfMatrixAdd<Vector>, XorCompare<Vector>, PqCompare<Vector>,
    GfCompare<Vector>,
};

}  // namespace parity::kernels
