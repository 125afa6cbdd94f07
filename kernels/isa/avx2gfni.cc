// Kernels for AVX2 with GFNI: 256-bit registers, multiplication by 8 x 8 bit matrices.
#include "affine_multiply.h"
#include "table_of.h"
#include "tables.h"
#include "ymm_vector.h"

namespace parity::kernels {

constexpr KernelTable kAvx2GfniTable =
    TableOf<With16Registers<AffineMultiply<Ymm>>>("avx2gfni", kAvx2 | kGfni);

}  // namespace parity::kernels
