// Kernels for AVX-512 without GFNI: 512-bit registers, multiplication by byte shuffles.
#include "nibble_multiply.h"
#include "table_of.h"
#include "tables.h"
#include "zmm_vector.h"

namespace parity::kernels {

constexpr KernelTable kAvx512Table =
    TableOf<With32Registers<NibbleMultiply<Zmm>>>("avx512", kAvx2 | kAvx512);

}  // namespace parity::kernels
