#include "parity/shardfile/encode.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "coder_options.h"
#include "commands.h"
#include "object_run.h"
#include "option_values.h"
#include "output.h"
#include "parity/codec/geometry.h"

namespace parity::cli {
namespace {

struct EncodeArguments {
  std::string file;
  uint32_t data_shards = 4;
  std::optional<uint32_t> parity_shards;
  std::string code = "rs";
  std::string matrix;  // empty: the default of the code
  std::string directory;
  bool force = false;
  CoderOptions coder;
  OutputOptions output;
};

absl::StatusOr<codec::Geometry> GeometryOf(const EncodeArguments& arguments) {
  const absl::StatusOr<codec::Code> code = codec::CodeFromName(arguments.code);
  if (!code.ok()) return code.status();
  std::optional<codec::Matrix> matrix;
  if (!arguments.matrix.empty()) {
    const absl::StatusOr<codec::Matrix> named = codec::MatrixFromName(arguments.matrix);
    if (!named.ok()) return named.status();
    matrix = *named;
  }
  const absl::StatusOr<codec::Geometry> geometry = codec::Geometry::Make(
      *code, arguments.data_shards,
      arguments.parity_shards.value_or(*code == codec::Code::kXor ? 1 : 2), matrix);
  if (geometry.ok()) return geometry;
  return NameOption(geometry.status(), {{"geometry.code", "--code"},
                                        {"geometry.matrix", "--matrix"},
                                        {"geometry.data_shards", "--data"},
                                        {"geometry.parity_shards", "--parity"}});
}

absl::StatusOr<shardfile::EncodedObject> EncodeFile(const EncodeArguments& arguments) {
  const absl::StatusOr<codec::Geometry> geometry = GeometryOf(arguments);
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
  encode
      ->add_option(
          "--data", arguments->data_shards,
          absl::StrCat("How many data shards, at most ", codec::Geometry::kMaxDataShards,
                       "; for rs, K + M is at most ", codec::Geometry::kMaxReedSolomonShards))
      ->type_name("K")
      ->capture_default_str();
  encode
      ->add_option("--parity", arguments->parity_shards,
                   "How many parity shards: as many as may be lost. Default: 1 for xor,\n"
                   "else 2")
      ->type_name("M");
  AddChoice(*encode, "--code", arguments->code, {"rs", "raid6", "xor"},
            "How parity is computed: Reed-Solomon, RAID-6 (M is 2), XOR (M is 1)")
      ->capture_default_str();
  AddChoice(*encode, "--matrix", arguments->matrix,
            {"cauchy", "vandermonde", "systematic-vandermonde"},
            "The factors of rs: cauchy, the default, vandermonde (those of ISA-L; with K and M\n"
            "above 3 some shapes cannot restore every loss of M shards),\n"
            "systematic-vandermonde (those of MinIO)");
  encode
      ->add_option("--out", arguments->directory,
                   "The directory for the shard files, made if it is not there. Default:\n"
                   "that of FILE")
      ->type_name("DIR");
  encode->add_flag("--force", arguments->force,
                   "Replace shard files of the same names, and remove those of higher\n"
                   "indices: of an object that had more shards");
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
