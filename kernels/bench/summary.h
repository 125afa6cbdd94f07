// What all rows together say.
#ifndef PARITY_KERNELS_BENCH_SUMMARY_H_
#define PARITY_KERNELS_BENCH_SUMMARY_H_

#include <cstdio>
#include <vector>

#include "compare.h"

namespace parity::bench {

// For each op how its ratios to the yardstick are spread, and the rows that fall short of it by
// more than noise; then how even the cost is over the number of sources and over alignments, and
// how close the longest rows come to the read limit.
void PrintSummary(std::FILE* to, const std::vector<Result>& results);

}  // namespace parity::bench

#endif  // PARITY_KERNELS_BENCH_SUMMARY_H_
