#include "output.h"

#include <cstdio>
#include <string>

#include "absl/strings/str_format.h"

namespace parity::cli {

const char kJsonHelp[] =
    "With --json, an error is {\"error\": {\"code\": exit code, \"status\": \"NOT_FOUND\", "
    "\"message\": \"...\"}}.\n\n";

void AddOutputOptions(CLI::App& command, OutputOptions& options) {
  command.add_flag("--json", options.json, "Print one JSON object, also after an error");
  command.add_flag("--quiet", options.quiet,
                   "Print errors alone: no results, no progress bar, no notices");
}

bool WantsJson(int argc, const char* const* argv) {
  for (int i = 1; i < argc && absl::string_view(argv[i]) != "--"; ++i) {
    if (absl::string_view(argv[i]) == "--json") return true;
  }
  return false;
}

void PrintJson(const Json& object) {
  const std::string text = object.dump(-1, ' ', false, Json::error_handler_t::replace);
  absl::PrintF("%s\n", text);
}

Json ErrorAsJson(ExitCode code, absl::string_view status, absl::string_view message) {
  return {{"code", static_cast<int>(code)},
          {"status", std::string(status)},
          {"message", std::string(message)}};
}

Json ErrorAsJson(const absl::Status& error) {
  return ErrorAsJson(ExitCodeFor(error), absl::StatusCodeToString(error.code()), error.message());
}

Json ObjectAsJson(const shardfile::ObjectId& id, const shardfile::Layout& layout) {
  const codec::Geometry& geometry = layout.geometry();
  return {{"object_id", id.ToString()},
          {"bytes", layout.object_bytes()},
          {"code", std::string(codec::NameOf(geometry.code()))},
          {"matrix", std::string(codec::NameOf(geometry.matrix()))},
          {"data_shards", geometry.data_shards()},
          {"parity_shards", geometry.parity_shards()}};
}

Json StraysAsJson(const shardfile::FoundShards& found) {
  Json strays = Json::array();
  for (const shardfile::FoundShards::Stray& stray : found.strays) {
    strays.push_back({{"path", stray.path}, {"message", std::string(stray.fault.message())}});
  }
  return strays;
}

void PrintStrays(const shardfile::FoundShards& found) {
  for (const shardfile::FoundShards::Stray& stray : found.strays) {
    absl::PrintF("no object: %s\n", stray.fault.message());
  }
}

}  // namespace parity::cli
