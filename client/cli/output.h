// What a command prints: lines for people or one JSON object.
//
// Key decision: with --json, standard output is one JSON object in any case, also after an error,
// which is {"error": ...}; standard error and the exit code are the same as without.
#ifndef PARITY_CLI_OUTPUT_H_
#define PARITY_CLI_OUTPUT_H_

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "exit_code.h"
#include "parity/shardfile/shard_set.h"

namespace parity::cli {

using Json = nlohmann::ordered_json;

struct OutputOptions {
  bool json = false;
  bool quiet = false;

  bool prints_lines() const { return !json && !quiet; }
};

// Adds --json and --quiet.
void AddOutputOptions(CLI::App& command, OutputOptions& options);

// Whether the command line asks for JSON, also if it cannot be parsed.
bool WantsJson(int argc, const char* const* argv);

// Prints one line. Text that is not UTF-8 has U+FFFD for what is not.
void PrintJson(const Json& object);

// {"code": <exit code>, "status": <name of the status code>, "message": ...}
Json ErrorAsJson(ExitCode code, absl::string_view status, absl::string_view message);
Json ErrorAsJson(const absl::Status& error);

// The keys that every command gives of an object: "object_id", "bytes", "code", "matrix",
// "data_shards", "parity_shards".
Json ObjectAsJson(const shardfile::ObjectId& id, const shardfile::Layout& layout);
// [{"path": ..., "message": ...}, ...]
Json StraysAsJson(const shardfile::FoundShards& found);
// A line for each.
void PrintStrays(const shardfile::FoundShards& found);

// For a footer: that there is --json, and its keys.
extern const char kJsonHelp[];

}  // namespace parity::cli

#endif  // PARITY_CLI_OUTPUT_H_
