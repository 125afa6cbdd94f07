// The one symbol of every ISA file.
#ifndef PARITY_KERNELS_ISA_TABLES_H_
#define PARITY_KERNELS_ISA_TABLES_H_

#include "parity/kernels/kernel_table.h"

namespace parity::kernels {

extern const KernelTable kScalarTable;
#if defined(__x86_64__)
extern const KernelTable kAvx2Table;
extern const KernelTable kAvx512Table;
extern const KernelTable kAvx512GfniTable;
#endif

}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_TABLES_H_
