#include "parity/shardfile/encode.h"

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "coder_options.h"
#include "commands.h"
#include "geometry_options.h"
#include "object_run.h"
#include "output.h"

namespace parity::cli {
namespace {

struct EncodeArguments {
  std::string file;
  GeometryOptions geometry;
  std::string directory;
  bool force = false;
  CoderOptions coder;
  OutputOptions output;
};

absl::StatusOr<shardfile::EncodedObject> EncodeFile(const EncodeArguments& arguments) {
  const absl::StatusOr<codec::Geometry> geometry = GeometryOf(arguments.geometry);
  if (!geometry.ok()) return geometry.status();
  absl::StatusOr<ObjectRun> run = ObjectRun::Start(arguments.coder, arguments.output);
  if (!run.ok()) return run.status();
  shardfile::EncodeOptions options;
  options.directory = arguments.directory;
  options.existing = arguments.force ? shardfile::Existing::kReplace : shardfile::Existing::kRefuse;
  options.run = run->Options();
  return shardfile::EncodeObject(run->coder(), *geometry, arguments.file, options);
}

absl::StatusOr<ExitCode> Encode(const EncodeArguments& arguments) {
  const absl::Time start = absl::Now();
  const absl::StatusOr<shardfile::EncodedObject> object = EncodeFile(arguments);
  if (!object.ok()) return object.status();
  const double seconds = absl::ToDoubleSeconds(absl::Now() - start);
  const uint64_t bytes = object->layout.object_bytes();
  if (arguments.output.json) {
    Json json = ObjectAsJson(object->object_id, object->layout);
    json["shards"] = object->paths;
    json["removed"] = object->removed;
    json["seconds"] = seconds;
    PrintJson(json);
  } else if (arguments.output.prints_lines()) {
    const codec::Geometry& geometry = object->layout.geometry();
    absl::PrintF("object %s: %d bytes, %d+%d shards (%s), %.3f s, %.2f GB/s\n",
                 object->object_id.ToString(), bytes, geometry.data_shards(),
                 geometry.parity_shards(), codec::NameOf(geometry.code()), seconds,
                 static_cast<double>(bytes) / seconds / 1e9);
    for (const std::string& path : object->removed) absl::PrintF("  removed: %s\n", path);
  }
  return ExitCode::kGood;
}

}  // namespace

void AddEncode(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<EncodeArguments>();
  CLI::App* encode = app.add_subcommand(
      "encode", "Makes K data and M parity shards of FILE, any K of which restore it");
  encode->add_option("FILE", arguments->file, "A regular file")->type_name("")->required();
  AddGeometryOptions(*encode, arguments->geometry);
  encode
      ->add_option("--out", arguments->directory,
                   "The directory for the shard files, made if it is not there. Default:\n"
                   "that of FILE")
      ->type_name("DIR");
  encode->add_flag("--force", arguments->force,
                   "Replace shard files of the same names, and remove those of higher\n"
                   "indices if they are of the object that is replaced");
  AddCoderOptions(*encode, arguments->coder);
  AddOutputOptions(*encode, arguments->output);
  encode->footer(absl::StrCat(
      "The shard files are named <name of FILE>.<index, 3 digits>.shard, data shards first, and "
      "appear\n"
      "when all of them are complete. Each holds 1/K of the bytes and checksums of its own.\n\n"
      "Examples:\n"
      "  parityctl encode backup.tar\n"
      "  parityctl encode backup.tar --data 10 --parity 4 --out /mnt/shards\n"
      "  parityctl encode backup.tar --code xor --server local\n\n",
      "JSON: object_id, bytes, code, matrix, data_shards, parity_shards, shards (paths), "
      "removed (paths), seconds.\n",
      kJsonHelp, kExitCodesHelp));
  encode->callback([arguments, &command] { command = [arguments] { return Encode(*arguments); }; });
}

}  // namespace parity::cli
