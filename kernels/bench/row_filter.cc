#include "row_filter.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace parity::bench {

absl::StatusOr<RowFilter> RowFilter::Make(const std::string& expression) {
  auto compiled = std::make_unique<regex_t>();
  const int error = regcomp(compiled.get(), expression.c_str(), REG_EXTENDED | REG_NOSUB);
  if (error != 0) {
    char reason[256];
    regerror(error, compiled.get(), reason, sizeof(reason));
    return absl::InvalidArgumentError(absl::StrCat("--filter: got ", expression, ": ", reason));
  }
  return RowFilter(std::unique_ptr<regex_t, Free>(compiled.release()));
}

RowFilter::RowFilter(std::unique_ptr<regex_t, Free> regex) : regex_(std::move(regex)) {}

bool RowFilter::Finds(const Row& row) const {
  return regexec(regex_.get(), NameOf(row).c_str(), 0, nullptr, 0) == 0;
}

void RowFilter::Free::operator()(regex_t* regex) const {
  regfree(regex);
  delete regex;
}

}  // namespace parity::bench
