// Kernels for AVX without AVX2: 256-bit XOR; everything else needs integers, of which AVX has
// 128-bit operations only.
#include "nibble_multiply.h"
#include "table_of.h"
#include "tables.h"
#include "xmm_vector.h"
#include "ymm_float_vector.h"

namespace parity::kernels {
namespace {

using Integers = With16Registers<NibbleMultiply<Xmm>>;

}  // namespace

constexpr KernelTable kAvxTable = TableOf<Integers, Integers, YmmFloat>("avx", kAvx);

}  // namespace parity::kernels
