// Rows as a table for people, or as JSON for programs.
#ifndef PARITY_KERNELS_BENCH_REPORT_H_
#define PARITY_KERNELS_BENCH_REPORT_H_

#include <cstdio>

#include "compare.h"

namespace parity::bench {

void PrintTableHeader(std::FILE* to);
void PrintTableRow(std::FILE* to, const char* isa, const Result& result);

// One object on one line.
void PrintJsonRow(std::FILE* to, const char* isa, const Result& result);

}  // namespace parity::bench

#endif  // PARITY_KERNELS_BENCH_REPORT_H_
