// Kernels for AVX-512 where 512-bit registers lower the clock: 32 registers of 256 bits, three-way
// XOR, multiplication by byte shuffles.
#include "nibble_multiply.h"
#include "table_of.h"
#include "tables.h"
#include "ymm_vector.h"

namespace parity::kernels {

constexpr KernelTable kAvx512YmmTable =
    TableOf<With32Registers<NibbleMultiply<Ymm>>>("avx512ymm", kAvx2 | kAvx512);

}  // namespace parity::kernels
