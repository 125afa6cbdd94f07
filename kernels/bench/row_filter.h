// Which rows of the grid to measure.
#ifndef PARITY_KERNELS_BENCH_ROW_FILTER_H_
#define PARITY_KERNELS_BENCH_ROW_FILTER_H_

#include <regex.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "grid.h"

namespace parity::bench {

// A POSIX extended regular expression.
class RowFilter {
 public:
  // INVALID_ARGUMENT, saying why, if it is none.
  static absl::StatusOr<RowFilter> Make(const std::string& expression);

  // Whether the expression is found in the row's name.
  bool Finds(const Row& row) const;

 private:
  struct Free {
    void operator()(regex_t* regex) const;
  };
  explicit RowFilter(std::unique_ptr<regex_t, Free> regex);

  std::unique_ptr<regex_t, Free> regex_;
};

}  // namespace parity::bench

#endif  // PARITY_KERNELS_BENCH_ROW_FILTER_H_
