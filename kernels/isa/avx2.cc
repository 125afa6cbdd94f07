// Kernels for AVX2: 256-bit registers, multiplication by byte shuffles.
#include "nibble_multiply.h"
#include "table_of.h"
#include "tables.h"
#include "ymm_vector.h"

namespace parity::kernels {

constexpr KernelTable kAvx2Table = TableOf<With16Registers<NibbleMultiply<Ymm>>>("avx2", kAvx2);

}  // namespace parity::kernels
