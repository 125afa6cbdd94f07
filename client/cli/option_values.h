// What options have in common: choices among words, and errors that name them.
#ifndef PARITY_CLI_OPTION_VALUES_H_
#define PARITY_CLI_OPTION_VALUES_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace parity::cli {

// Adds an option whose value is one of `words`. Its type is shown as "WORD|WORD", which completion
// reads.
CLI::Option* AddChoice(CLI::App& command, const std::string& name, std::string& value,
                       const std::vector<std::string>& words, const std::string& description);

struct OptionOfField {
  std::string field;
  std::string option;
};

// The same error, in the words of the command line: where it names one of the fields, that of the
// option. REQUIRES: !error.ok().
absl::Status NameOption(const absl::Status& error, const std::vector<OptionOfField>& names);

}  // namespace parity::cli

#endif  // PARITY_CLI_OPTION_VALUES_H_
