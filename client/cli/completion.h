// Completion of command lines by a shell.
#ifndef PARITY_CLI_COMPLETION_H_
#define PARITY_CLI_COMPLETION_H_

#include <CLI/CLI.hpp>
#include <string>

namespace parity::cli {

// A script for bash that completes the commands of `app`, their options and the values of these:
// one of "WORD|WORD" types, directories for DIR, files for FILE and PATH.
std::string BashCompletion(const CLI::App& app);

}  // namespace parity::cli

#endif  // PARITY_CLI_COMPLETION_H_
