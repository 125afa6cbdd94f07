#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "coder_options.h"
#include "commands.h"
#include "parity/codec/geometry.h"
#include "parity/shardfile/encode.h"

namespace parity::cli {
namespace {

struct EncodeArguments {
  std::string file;
  uint32_t data_shards = 4;
  std::optional<uint32_t> parity_shards;
  std::string code = "rs";
  std::optional<std::string> matrix;
  std::string directory;
  bool force = false;
  CoderOptions coder;
};

absl::StatusOr<ExitCode> Encode(const EncodeArguments& arguments) {
  const absl::StatusOr<codec::Code> code = codec::CodeFromName(arguments.code);
  if (!code.ok()) return code.status();
  std::optional<codec::Matrix> matrix;
  if (arguments.matrix) {
    const absl::StatusOr<codec::Matrix> named = codec::MatrixFromName(*arguments.matrix);
    if (!named.ok()) return named.status();
    matrix = *named;
  }
  const absl::StatusOr<codec::Geometry> geometry = codec::Geometry::Make(
      *code, arguments.data_shards,
      arguments.parity_shards.value_or(*code == codec::Code::kXor ? 1 : 2), matrix);
  if (!geometry.ok()) return geometry.status();
  const absl::StatusOr<std::unique_ptr<client::Coder>> coder = MakeCoder(arguments.coder);
  if (!coder.ok()) return coder.status();

  shardfile::EncodeOptions options;
  options.directory = arguments.directory;
  options.existing = arguments.force ? shardfile::Existing::kReplace : shardfile::Existing::kRefuse;
  options.run = UntilInterrupted();
  AllocateFrom(**coder, options.run);
  const auto start = std::chrono::steady_clock::now();
  const absl::StatusOr<shardfile::EncodedObject> object =
      shardfile::EncodeObject(**coder, *geometry, arguments.file, options);
  if (!object.ok()) return object.status();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto bytes = object->layout.object_bytes();
  absl::PrintF("object %s: %d bytes, %d+%d shards (%s), %.3f s, %.2f GB/s\n",
               object->object_id.ToString(), bytes, geometry->data_shards(),
               geometry->parity_shards(), codec::NameOf(geometry->code()), seconds,
               static_cast<double>(bytes) / seconds / 1e9);
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
  encode
      ->add_option("--code", arguments->code,
                   "How parity is computed: rs (Reed-Solomon), raid6 (M is 2), xor (M is 1)")
      ->type_name("CODE")
      ->capture_default_str();
  encode
      ->add_option("--matrix", arguments->matrix,
                   "The factors of rs: cauchy, vandermonde (those of ISA-L; with K and M above 3\n"
                   "some shapes cannot restore every loss of M shards),\n"
                   "systematic-vandermonde (those of MinIO). Default: cauchy")
      ->type_name("MATRIX");
  encode
      ->add_option("--out", arguments->directory,
                   "The directory for the shard files, made if it is not there. Default:\n"
                   "that of FILE")
      ->type_name("DIR");
  encode->add_flag("--force", arguments->force, "Replace shard files of the same names");
  AddCoderOptions(*encode, arguments->coder);
  encode->footer(absl::StrCat(
      "The shard files are named <name of FILE>.<index, 3 digits>.shard, data shards first, and "
      "appear\n"
      "when all of them are complete. Each holds 1/K of the bytes and checksums of its own.\n\n"
      "Examples:\n"
      "  parityctl encode backup.tar\n"
      "  parityctl encode backup.tar --data 10 --parity 4 --out /mnt/shards\n"
      "  parityctl encode backup.tar --code xor --server local\n\n",
      kExitCodesHelp));
  encode->callback([arguments, &command] { command = [arguments] { return Encode(*arguments); }; });
}

}  // namespace parity::cli
