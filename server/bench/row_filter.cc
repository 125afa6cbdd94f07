#include "row_filter.h"

#include <regex.h>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

namespace parity::bench {

absl::StatusOr<std::vector<size_t>> NamesFoundBy(const std::string& expression,
                                                 const std::vector<std::string>& names) {
  regex_t compiled;
  const int error = regcomp(&compiled, expression.c_str(), REG_EXTENDED | REG_NOSUB);
  if (error != 0) {
    char reason[256];
    regerror(error, &compiled, reason, sizeof reason);
    return absl::InvalidArgumentError(absl::StrCat("--filter: got ", expression, ": ", reason));
  }
  const auto release = absl::MakeCleanup([&compiled] { regfree(&compiled); });
  std::vector<size_t> found;
  for (size_t i = 0; i < names.size(); ++i) {
    if (regexec(&compiled, names[i].c_str(), 0, nullptr, 0) == 0) found.push_back(i);
  }
  if (found.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--filter: got ", expression, ", which no row's name contains"));
  }
  return found;
}

}  // namespace parity::bench
