// Which rows to measure.
#ifndef PARITY_SERVER_BENCH_ROW_FILTER_H_
#define PARITY_SERVER_BENCH_ROW_FILTER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace parity::bench {

// The places of the names in which the POSIX extended regular expression is found.
// INVALID_ARGUMENT, naming --filter, if it is none or is found in no name.
absl::StatusOr<std::vector<size_t>> NamesFoundBy(const std::string& expression,
                                                 const std::vector<std::string>& names);

// The rows in whose names it is found.
template <class AnyRow>
absl::StatusOr<std::vector<AnyRow>> RowsFoundBy(const std::string& expression,
                                                const std::vector<AnyRow>& rows) {
  std::vector<std::string> names;
  for (const AnyRow& row : rows) names.push_back(NameOf(row));
  const absl::StatusOr<std::vector<size_t>> places = NamesFoundBy(expression, names);
  if (!places.ok()) return places.status();
  std::vector<AnyRow> found;
  for (const size_t place : *places) found.push_back(rows[place]);
  return found;
}

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_ROW_FILTER_H_
