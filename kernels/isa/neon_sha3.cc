// Kernels for NEON with the SHA-3 extension, of which they use the three-way XOR (EOR3).
#include "neon_vector.h"
#include "table_of.h"
#include "tables.h"

namespace parity::kernels {

constexpr KernelTable kNeonSha3Table = TableOf<NeonMultiply>("neon_sha3", kNeon | kNeonSha3);

}  // namespace parity::kernels
