#include "parity/shardfile/decode.h"

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

struct DecodeArguments {
  std::vector<std::string> paths;
  std::string out;
  bool force = false;
  CoderOptions coder;
  OutputOptions output;
};

absl::StatusOr<shardfile::DecodedObject> DecodeTo(const DecodeArguments& arguments,
                                                  const shardfile::ShardSet& set) {
  absl::StatusOr<ObjectRun> run = ObjectRun::Start(arguments.coder, arguments.output);
  if (!run.ok()) return run.status();
  shardfile::DecodeOptions options;
  options.existing = arguments.force ? shardfile::Existing::kReplace : shardfile::Existing::kRefuse;
  options.run = run->Options();
  return shardfile::DecodeObject(run->coder(), set, arguments.out, options);
}

absl::StatusOr<ExitCode> Decode(const DecodeArguments& arguments) {
  if (arguments.out == "-") {
    return absl::InvalidArgumentError("--out: got -, want a file: ./- for one of that name");
  }
  const absl::StatusOr<shardfile::FoundShards> found = shardfile::FindShards(arguments.paths);
  if (!found.ok()) return found.status();
  const absl::StatusOr<shardfile::ShardSet> set = OnlyObject(*found);
  if (!set.ok()) return set.status();
  const absl::StatusOr<shardfile::DecodedObject> object = DecodeTo(arguments, *set);
  if (!object.ok()) return object.status();
  if (arguments.output.json) {
    Json json = ObjectAsJson(set->object_id, set->layout);
    json["path"] = arguments.out;
    json["stripes"] = set->layout.stripes();
    json["restored_stripes"] = object->restored_stripes;
    PrintJson(json);
  } else if (arguments.output.prints_lines()) {
    absl::PrintF("object %s: %d bytes in %s, %d of %d stripes restored by parity\n",
                 set->object_id.ToString(), object->bytes, arguments.out, object->restored_stripes,
                 set->layout.stripes());
  }
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
  AddOutputOptions(*decode, arguments->output);
  decode->footer(absl::StrCat(
      "Every block is checked against its checksum, and one that is missing or damaged is computed "
      "from\n"
      "K good ones. FILE appears when it is complete. The shards are not changed: see repair.\n\n"
      "Examples:\n"
      "  parityctl decode /mnt/shards --out backup.tar\n"
      "  parityctl decode backup.tar.*.shard --out backup.tar --server local\n\n",
      "JSON: object_id, bytes, code, matrix, data_shards, parity_shards, path, stripes, "
      "restored_stripes.\n",
      kJsonHelp, kExitCodesHelp));
  decode->callback([arguments, &command] { command = [arguments] { return Decode(*arguments); }; });
}

}  // namespace parity::cli
