// Rows of shared memory as a table for people, or as JSON for programs.
#ifndef PARITY_SERVER_BENCH_SHM_REPORT_H_
#define PARITY_SERVER_BENCH_SHM_REPORT_H_

#include <cstdio>

#include "shm_compare.h"

namespace parity::bench {

void PrintShmTableHeader(std::FILE* to);
void PrintShmTableRow(std::FILE* to, const ShmResult& result);

// One object on one line; null for what was not measured. What other rows have too has their names.
void PrintShmJsonRow(std::FILE* to, const ShmResult& result);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_SHM_REPORT_H_
