// Rows as a table for people, or as JSON for programs.
#ifndef PARITY_SERVER_BENCH_REPORT_H_
#define PARITY_SERVER_BENCH_REPORT_H_

#include <cstdio>

#include "compare.h"
#include "setup.h"

namespace parity::bench {

// What the figures depend on: the machine, the kernels, the code unless rows name theirs, the
// build.
enum class CodeOf { kRun, kRows };
void PrintCircumstances(std::FILE* to, const Setup& setup, CodeOf code);

// How long the runs were that the server's kernels read, and how their sources lay: what it has
// counted since it started. Says so if it does not count.
void PrintRuns(std::FILE* to, const ServerProcess& server);

void PrintTableHeader(std::FILE* to);
void PrintTableRow(std::FILE* to, const Result& result);

// One object on one line; null for what was not measured.
void PrintJsonRow(std::FILE* to, const Result& result);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_REPORT_H_
