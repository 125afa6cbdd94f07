#include "parity/shardfile/repair.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "coder_options.h"
#include "commands.h"
#include "object_run.h"
#include "object_set.h"
#include "output.h"
#include "parity/shardfile/shard_set.h"

namespace parity::cli {
namespace {

struct RepairArguments {
  std::vector<std::string> paths;
  std::string directory;
  CoderOptions coder;
  OutputOptions output;
};

void Print(const shardfile::ShardSet& set, const std::vector<shardfile::RebuiltShard>& rebuilt) {
  absl::PrintF("object %s: %s\n", set.object_id.ToString(), rebuilt.empty() ? "good" : "repaired");
  for (const shardfile::RebuiltShard& shard : rebuilt) {
    absl::PrintF("  shard %d: rebuilt: %s\n", shard.index, shard.path);
  }
}

absl::StatusOr<std::vector<shardfile::RebuiltShard>> RepairIn(const std::string& directory,
                                                              const shardfile::ShardSet& set,
                                                              ObjectRun& run) {
  shardfile::RepairOptions options;
  options.directory = directory;
  options.run = run.Options();
  return shardfile::RepairSet(run.coder(), set, options);
}

absl::StatusOr<ExitCode> Repair(const RepairArguments& arguments) {
  absl::StatusOr<ObjectRun> run = ObjectRun::Start(arguments.coder, arguments.output);
  if (!run.ok()) return run.status();
  const absl::StatusOr<shardfile::FoundShards> found = shardfile::FindShards(arguments.paths);
  if (!found.ok()) return found.status();
  return ForEachObject(
      *found, arguments.output,
      [&](const shardfile::ShardSet& set, Json& json) -> absl::StatusOr<bool> {
        const absl::StatusOr<std::vector<shardfile::RebuiltShard>> rebuilt =
            RepairIn(arguments.directory, set, *run);
        if (!rebuilt.ok()) return rebuilt.status();
        json["rebuilt"] = Json::array();
        for (const shardfile::RebuiltShard& shard : *rebuilt) {
          json["rebuilt"].push_back({{"shard", shard.index}, {"path", shard.path}});
        }
        if (arguments.output.prints_lines()) Print(set, *rebuilt);
        return true;
      });
}

}  // namespace

void AddRepair(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<RepairArguments>();
  CLI::App* repair =
      app.add_subcommand("repair", "Makes the missing and damaged shards of objects anew");
  repair->add_option("PATH", arguments->paths, "Shard files, or directories with *.shard files")
      ->type_name("")
      ->required();
  repair
      ->add_option("--out", arguments->directory,
                   "The directory for the new shard files, made if it is not there.\n"
                   "Default: damaged files are replaced, and missing ones go beside the\n"
                   "others")
      ->type_name("DIR");
  AddCoderOptions(*repair, arguments->coder);
  AddOutputOptions(*repair, arguments->output);
  repair->footer(absl::StrCat(
      "Wherever at most M shards are missing or damaged, it takes them from the "
      "others; damage that does\n"
      "not coincide may touch more than M files. Good files are not written. Nothing "
      "is written if an\n"
      "object cannot be repaired whole, or if a shard is wrong in spite of its "
      "checksums: verify names the\n"
      "suspect, and when its file is moved away, repair makes it anew.\n\n"
      "Examples:\n"
      "  parityctl repair /mnt/shards\n"
      "  parityctl repair backup.tar.*.shard --out /mnt/new\n\n",
      "JSON: objects, strays (files of no object: path, message). Of an object: object_id, "
      "bytes, code,\n"
      "matrix, data_shards, parity_shards, and rebuilt (shard, path) or error.\n",
      kJsonHelp, kExitCodesHelp));
  repair->callback([arguments, &command] { command = [arguments] { return Repair(*arguments); }; });
}

}  // namespace parity::cli
