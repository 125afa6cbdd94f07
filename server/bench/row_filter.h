// Which rows of the grid to measure.
#ifndef PARITY_SERVER_BENCH_ROW_FILTER_H_
#define PARITY_SERVER_BENCH_ROW_FILTER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "grid.h"

namespace parity::bench {

// The rows in whose names the POSIX extended regular expression is found. INVALID_ARGUMENT, naming
// --filter, if it is none or is found in no name.
absl::StatusOr<std::vector<Row>> RowsFoundBy(const std::string& expression,
                                             const std::vector<Row>& rows);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_ROW_FILTER_H_
