// Kernels for NEON, which every 64-bit Arm CPU that runs Linux has: 128-bit registers,
// multiplication by byte shuffles.
#include "neon_vector.h"
#include "table_of.h"
#include "tables.h"

namespace parity::kernels {

constexpr KernelTable kNeonTable = TableOf<NeonMultiply>("neon", kNeon);

}  // namespace parity::kernels
