#include "parity/shardfile/repair.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "coder_options.h"
#include "commands.h"
#include "parity/shardfile/shard_set.h"

namespace parity::cli {
namespace {

struct RepairArguments {
  std::vector<std::string> paths;
  std::string directory;
  CoderOptions coder;
};

absl::StatusOr<ExitCode> Repair(const RepairArguments& arguments) {
  const absl::StatusOr<std::unique_ptr<client::Coder>> coder = MakeCoder(arguments.coder);
  if (!coder.ok()) return coder.status();
  const absl::StatusOr<shardfile::FoundShards> found = shardfile::FindShards(arguments.paths);
  if (!found.ok()) return found.status();
  shardfile::RepairOptions options;
  options.directory = arguments.directory;
  options.run = UntilInterrupted();
  AllocateFrom(**coder, options.run);
  for (const shardfile::ShardSet& set : found->sets) {
    const std::string id = set.object_id.ToString();
    const absl::StatusOr<std::vector<shardfile::RebuiltShard>> rebuilt =
        shardfile::RepairSet(**coder, set, options);
    if (!rebuilt.ok()) {
      return absl::Status(rebuilt.status().code(),
                          absl::StrCat("object ", id, ": ", rebuilt.status().message()));
    }
    absl::PrintF("object %s: %s\n", id, rebuilt->empty() ? "good" : "repaired");
    for (const shardfile::RebuiltShard& shard : *rebuilt) {
      absl::PrintF("  shard %d: rebuilt: %s\n", shard.index, shard.path);
    }
  }
  for (const shardfile::FoundShards::Stray& stray : found->strays) {
    absl::PrintF("no object: %s\n", stray.fault.message());
  }
  return found->strays.empty() ? ExitCode::kGood : ExitCode::kDamaged;
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
  repair->footer(
      absl::StrCat("Wherever at most M shards are missing or damaged, it takes them from the "
                   "others; damage that does\n"
                   "not coincide may touch more than M files. Good files are not written. Nothing "
                   "is written if an\n"
                   "object cannot be repaired whole, or if a shard is wrong in spite of its "
                   "checksums: verify names the\n"
                   "suspect, and when its file is moved away, repair makes it anew.\n\n"
                   "Examples:\n"
                   "  parityctl repair /mnt/shards\n"
                   "  parityctl repair backup.tar.*.shard --out /mnt/new\n\n",
                   kExitCodesHelp));
  repair->callback([arguments, &command] { command = [arguments] { return Repair(*arguments); }; });
}

}  // namespace parity::cli
