// Kernels for any CPU.
#include "table_of.h"
#include "tables.h"
#include "word_vector.h"

namespace parity::kernels {

constexpr KernelTable kScalarTable = TableOf<Word>("scalar", 0);

}  // namespace parity::kernels
