// Kernels for SSSE3: 128-bit registers, multiplication by byte shuffles.
#include "nibble_multiply.h"
#include "table_of.h"
#include "tables.h"
#include "xmm_vector.h"

namespace parity::kernels {

constexpr KernelTable kSsse3Table = TableOf<With16Registers<NibbleMultiply<Xmm>>>("ssse3", kSsse3);

}  // namespace parity::kernels
