// Kernels for SSE2, which every x86-64 CPU has: 128-bit registers for XOR and P+Q. SSE2 has no byte
// shuffle, so matrices are left to table look-up.
#include "gf_matrix_kernel.h"
#include "pq_kernel.h"
#include "tables.h"
#include "word_vector.h"
#include "xmm_vector.h"
#include "xor_kernel.h"

namespace parity::kernels {

const KernelTable kSse2Table = {
    "sse2",
    0,
    16,
    XorGenerate<Xmm>,
    PqGenerate<Xmm>,
    GfMatrix<Word>,
    GfMatrixAdd<Word>,
    XorCompare<Xmm>,
    PqCompare<Xmm>,
    GfCompare<Word>,
};

}  // namespace parity::kernels
