#include "exit_code.h"

namespace parity::cli {

const char kExitCodesHelp[] =
    "Exit codes:\n"
    "  0    good\n"
    "  1    shards are damaged, an update is unfinished, or the object cannot be restored\n"
    "  2    bad command line, or a file that is not there or would be overwritten\n"
    "  3    no server can be reached or answers in time, and none else may compute (--policy)\n"
    "  4    any other failure\n"
    "  129, 130, 143    ended by SIGHUP, SIGINT, SIGTERM; no file is half written, and an update\n"
    "                   that has begun to write is one for repair to finish";

ExitCode ExitCodeFor(const absl::Status& error) {
  switch (error.code()) {
    case absl::StatusCode::kOk:
      return ExitCode::kGood;
    case absl::StatusCode::kDataLoss:
      return ExitCode::kDamaged;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kAlreadyExists:
      return ExitCode::kUsage;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return ExitCode::kUnreachable;
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kUnknown:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kDoNotUseReservedForFutureExpansionUseDefaultInSwitchInstead_:
      return ExitCode::kFailed;
  }
  return ExitCode::kFailed;
}

}  // namespace parity::cli
