// The one symbol of every ISA file.
#ifndef PARITY_KERNELS_ISA_TABLES_H_
#define PARITY_KERNELS_ISA_TABLES_H_

#include "parity/kernels/kernel_table.h"

namespace parity::kernels {

extern const KernelTable kScalarTable;
#if defined(__x86_64__)
extern const KernelTable kSse2Table;
extern const KernelTable kSsse3Table;
extern const KernelTable kAvxTable;
extern const KernelTable kAvx2Table;
extern const KernelTable kAvx2GfniTable;
extern const KernelTable kAvx512YmmTable;
extern const KernelTable kAvx512YmmGfniTable;
extern const KernelTable kAvx512Table;
extern const KernelTable kAvx512GfniTable;
#elif defined(__aarch64__)
extern const KernelTable kNeonTable;
extern const KernelTable kNeonSha3Table;
#endif

}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_TABLES_H_
