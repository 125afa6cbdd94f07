// Kernels for SSE2, which every x86-64 CPU has: 128-bit registers for XOR and P+Q. SSE2 has no byte
// shuffle, so matrices are left to table look-up.
#include "table_of.h"
#include "tables.h"
#include "word_vector.h"
#include "xmm_vector.h"

namespace parity::kernels {

constexpr KernelTable kSse2Table = TableOf<Word, Xmm>("sse2", 0);

}  // namespace parity::kernels
