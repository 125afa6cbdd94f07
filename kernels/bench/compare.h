// One row, measured beside the yardstick.
#ifndef PARITY_KERNELS_BENCH_COMPARE_H_
#define PARITY_KERNELS_BENCH_COMPARE_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "arena.h"
#include "grid.h"
#include "isal.h"
#include "parity/kernels/kernel_table.h"

namespace parity::bench {

struct Result {
  Row row;
  double gbps = 0;             // 10^9 source bytes a second
  std::string yardstick;       // the fastest way of ISA-L; empty if there is no library
  double yardstick_gbps = 0;   // 0 if there is no library
  double split_share = 0;      // of memory accesses, those that touch two cache lines
  double read_limit_gbps = 0;  // of as many bytes as the row's sources; 0 if not measured

  double ratio() const { return gbps / yardstick_gbps; }
};

struct Subject {
  const kernels::KernelTable& table;
  const kernels::Tuning& tuning;
  size_t jobs = 1;  // at most so many in a batch
};

// Checks every way of ISA-L against the table, byte by byte, then takes `rounds` interleaved
// samples of the table, of the fastest way and, for page-aligned rows of 16 MiB, of reading alone.
//
// DATA_LOSS, naming the row and the byte, if they differ, or if a verification is wrong.
absl::StatusOr<Result> Compare(const Subject& subject, const std::optional<Isal>& isal,
                               const Row& row, int rounds, Arena& arena);

}  // namespace parity::bench

#endif  // PARITY_KERNELS_BENCH_COMPARE_H_
