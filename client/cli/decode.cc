#include "parity/shardfile/decode.h"

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

struct DecodeArguments {
  std::vector<std::string> paths;
  std::string out;
  bool force = false;
  CoderOptions coder;
};

absl::StatusOr<ExitCode> Decode(const DecodeArguments& arguments) {
  const absl::StatusOr<std::unique_ptr<client::Coder>> coder = MakeCoder(arguments.coder);
  if (!coder.ok()) return coder.status();
  const absl::StatusOr<shardfile::FoundShards> found = shardfile::FindShards(arguments.paths);
  if (!found.ok()) return found.status();
  if (found->sets.empty()) return found->strays.front().fault;
  if (found->sets.size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("PATH: got shards of ", found->sets.size(), " objects, want those of one"));
  }
  shardfile::DecodeOptions options;
  options.existing = arguments.force ? shardfile::Existing::kReplace : shardfile::Existing::kRefuse;
  options.run = UntilInterrupted();
  AllocateFrom(**coder, options.run);
  const shardfile::ShardSet& set = found->sets.front();
  const absl::StatusOr<shardfile::DecodedObject> object =
      shardfile::DecodeObject(**coder, set, arguments.out, options);
  if (!object.ok()) return object.status();
  absl::PrintF("object %s: %d bytes in %s, %d of %d stripes restored by parity\n",
               set.object_id.ToString(), object->bytes, arguments.out, object->restored_stripes,
               set.layout.stripes());
  return ExitCode::kGood;
}

}  // namespace

void AddDecode(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<DecodeArguments>();
  CLI::App* decode = app.add_subcommand("decode", "Restores an object from any K of its shards");
  decode
      ->add_option("PATH", arguments->paths,
                   "Shard files of one object, or directories with its *.shard files")
      ->type_name("")
      ->required();
  decode->add_option("--out", arguments->out, "The file to write the object to")
      ->type_name("FILE")
      ->required();
  decode->add_flag("--force", arguments->force, "Replace FILE if it exists");
  AddCoderOptions(*decode, arguments->coder);
  decode->footer(absl::StrCat(
      "Every block is checked against its checksum, and one that is missing or damaged is computed "
      "from\n"
      "K good ones. FILE appears when it is complete. The shards are not changed: see repair.\n\n"
      "Examples:\n"
      "  parityctl decode /mnt/shards --out backup.tar\n"
      "  parityctl decode backup.tar.*.shard --out backup.tar --server local\n\n",
      kExitCodesHelp));
  decode->callback([arguments, &command] { command = [arguments] { return Decode(*arguments); }; });
}

}  // namespace parity::cli
