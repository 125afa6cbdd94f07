// Kernels for AVX-512 with GFNI: 512-bit registers, multiplication by 8 x 8 bit matrices.
#include "affine_multiply.h"
#include "table_of.h"
#include "tables.h"
#include "zmm_vector.h"

namespace parity::kernels {

constexpr KernelTable kAvx512GfniTable =
    TableOf<With32Registers<AffineMultiply<Zmm>>>("avx512gfni", kAvx2 | kAvx512 | kGfni);

}  // namespace parity::kernels
