// Kernels for any CPU.
#include "gf_matrix_kernel.h"
#include "pq_kernel.h"
#include "tables.h"
#include "word_vector.h"
#include "xor_kernel.h"

namespace parity::kernels {

const KernelTable kScalarTable = {
    "scalar",
    0,
    8,
    XorGenerate<Word>,
    PqGenerate<Word>,
    GfMatrix<Word>,
    GfMatrixAdd<Word>,
    XorCompare<Word>,
    PqCompare<Word>,
    GfCompare<Word>,
};

}  // namespace parity::kernels
