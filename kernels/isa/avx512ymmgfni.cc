// Kernels for AVX-512 with GFNI where 512-bit registers lower the clock: 32 registers of 256 bits,
// three-way XOR, multiplication by 8 x 8 bit matrices.
#include "affine_multiply.h"
#include "table_of.h"
#include "tables.h"
#include "ymm_vector.h"

namespace parity::kernels {

constexpr KernelTable kAvx512YmmGfniTable =
    TableOf<With32Registers<AffineMultiply<Ymm>>>("avx512ymmgfni", kAvx2 | kAvx512 | kGfni);

}  // namespace parity::kernels
