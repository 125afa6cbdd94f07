// Commands on several objects, of which some may fail.
//
// Key decision: what is wrong with one object does not stop the others; the exit code says the
// worst there was.
#ifndef PARITY_CLI_OBJECT_SET_H_
#define PARITY_CLI_OBJECT_SET_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "exit_code.h"
#include "output.h"
#include "parity/shardfile/shard_set.h"

namespace parity::cli {

// Calls `work` for every object found. It prints its lines and fills in what the object's JSON has
// besides ObjectAsJson; it returns whether the object is good. An error is printed, and the others
// go on, unless it will meet them too: CANCELLED, UNAVAILABLE and DEADLINE_EXCEEDED are returned.
// Prints the strays at the end, or all in JSON: {"objects": [...], "strays": [...]}.
absl::StatusOr<ExitCode> ForEachObject(
    const shardfile::FoundShards& found, const OutputOptions& output,
    const std::function<absl::StatusOr<bool>(const shardfile::ShardSet& set, Json& json)>& work);

// The only object there, for a command on one. INVALID_ARGUMENT if there are several; the fault of
// the first stray if there is none.
absl::StatusOr<shardfile::ShardSet> OnlyObject(const shardfile::FoundShards& found);

}  // namespace parity::cli

#endif  // PARITY_CLI_OBJECT_SET_H_
