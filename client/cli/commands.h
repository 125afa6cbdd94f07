// The subcommands of parityctl.
//
// Key decision: parsing only chooses a command; main runs it. So nothing that a command does
// happens inside the parser, whose errors are exceptions.
#ifndef PARITY_CLI_COMMANDS_H_
#define PARITY_CLI_COMMANDS_H_

#include <CLI/CLI.hpp>
#include <functional>

#include "absl/status/statusor.h"
#include "exit_code.h"

namespace parity::cli {

// Prints its results to standard output; an error is for main to print.
using Command = std::function<absl::StatusOr<ExitCode>()>;

// Each adds one subcommand, which sets `command` when it is parsed. Both must outlive the parsing.
void AddEncode(CLI::App& app, Command& command);
void AddVerify(CLI::App& app, Command& command);
void AddRepair(CLI::App& app, Command& command);
void AddUpdate(CLI::App& app, Command& command);
void AddDecode(CLI::App& app, Command& command);
void AddInfo(CLI::App& app, Command& command);
void AddKernels(CLI::App& app, Command& command);
void AddBench(CLI::App& app, Command& command);
// Must be the last: it knows the others.
void AddCompletion(CLI::App& app, Command& command);

}  // namespace parity::cli

#endif  // PARITY_CLI_COMMANDS_H_
