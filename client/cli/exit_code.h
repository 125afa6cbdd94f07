// What parityctl's exit status means.
#ifndef PARITY_CLI_EXIT_CODE_H_
#define PARITY_CLI_EXIT_CODE_H_

#include "absl/status/status.h"

namespace parity::cli {

enum class ExitCode {
  kGood = 0,
  kDamaged = 1,      // shards are damaged, or an object cannot be restored
  kUsage = 2,        // a bad argument
  kUnreachable = 3,  // the server could not be reached or did not answer in time
  kFailed = 4,       // anything else
};

// For an error that ended a command.
ExitCode ExitCodeFor(const absl::Status& error);

// The part of a help text that explains the above.
extern const char kExitCodesHelp[];

}  // namespace parity::cli

#endif  // PARITY_CLI_EXIT_CODE_H_
