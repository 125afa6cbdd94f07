#include "parity/shardfile/verify.h"

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

struct VerifyArguments {
  std::vector<std::string> paths;
  CoderOptions coder;
  OutputOptions output;
};

void Print(const shardfile::ShardSet& set, const shardfile::SetReport& report) {
  const codec::Geometry& geometry = set.layout.geometry();
  absl::PrintF("object %s: %d bytes, %d+%d shards (%s): %s\n", set.object_id.ToString(),
               set.layout.object_bytes(), geometry.data_shards(), geometry.parity_shards(),
               codec::NameOf(geometry.code()), report.consistent() ? "good" : "damaged");
  for (const shardfile::Damage& damage : report.damages) {
    absl::PrintF("  %s\n", damage.ToString());
  }
  if (report.damages_left_out > 0) {
    absl::PrintF("  and damage in %d more places\n", report.damages_left_out);
  }
}

Json DamageAsJson(const shardfile::Damage& damage) {
  Json json = {{"kind", shardfile::NameOf(damage.kind)}, {"message", damage.ToString()}};
  if (damage.shard) json["shard"] = *damage.shard;
  if (!damage.path.empty()) json["path"] = damage.path;
  if (damage.kind == shardfile::Damage::Kind::kBlocks) {
    json["first_block"] = damage.first_block;
    json["blocks"] = damage.blocks;
    json["file_offset"] = damage.file_offset;
    json["bytes"] = damage.bytes;
  }
  if (damage.kind == shardfile::Damage::Kind::kBlocks ||
      damage.kind == shardfile::Damage::Kind::kParity) {
    json["shard_offset"] = damage.shard_offset;
  }
  if (damage.wrong_byte) json["wrong_byte"] = *damage.wrong_byte;
  return json;
}

void Fill(const shardfile::SetReport& report, Json& json) {
  json["good"] = report.consistent();
  json["damages"] = Json::array();
  for (const shardfile::Damage& damage : report.damages) {
    json["damages"].push_back(DamageAsJson(damage));
  }
  json["damages_left_out"] = report.damages_left_out;
}

absl::StatusOr<ExitCode> Verify(const VerifyArguments& arguments) {
  absl::StatusOr<ObjectRun> run = ObjectRun::Start(arguments.coder, arguments.output);
  if (!run.ok()) return run.status();
  const absl::StatusOr<shardfile::FoundShards> found = shardfile::FindShards(arguments.paths);
  if (!found.ok()) return found.status();
  return ForEachObject(*found, arguments.output,
                       [&](const shardfile::ShardSet& set, Json& json) -> absl::StatusOr<bool> {
                         const absl::StatusOr<shardfile::SetReport> report =
                             shardfile::VerifySet(run->coder(), set, run->Options());
                         if (!report.ok()) return report.status();
                         Fill(*report, json);
                         if (arguments.output.prints_lines()) Print(set, *report);
                         return report->consistent();
                       });
}

}  // namespace

void AddVerify(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<VerifyArguments>();
  CLI::App* verify =
      app.add_subcommand("verify", "Checks the shards of objects and says what is damaged where");
  verify->add_option("PATH", arguments->paths, "Shard files, or directories with *.shard files")
      ->type_name("")
      ->required();
  AddCoderOptions(*verify, arguments->coder);
  AddOutputOptions(*verify, arguments->output);
  verify->footer(absl::StrCat(
      "Reads every shard whole: checks presence, header, length, the checksum of each "
      "block, and whether\n"
      "parity fits the data, which finds a shard that is wrong in spite of its "
      "checksums. Prints one line\n"
      "for each object and one for each damage. Offsets are in bytes and count from "
      "0: those in a shard do\n"
      "not count header and checksums, those in a file do.\n\n"
      "Examples:\n"
      "  parityctl verify /mnt/shards\n"
      "  parityctl verify backup.tar.*.shard --server local\n\n",
      "JSON: objects, strays (files of no object: path, message). Of an object: object_id, "
      "bytes, code,\n"
      "matrix, data_shards, parity_shards, and good, damages, damages_left_out, or "
      "error. Of a damage:\n"
      "kind (update, missing, header, length, blocks, parity), message and, where there are "
      "any, shard, path,\n"
      "first_block, blocks, shard_offset, file_offset, bytes, wrong_byte.\n",
      kJsonHelp, kExitCodesHelp));
  verify->callback([arguments, &command] { command = [arguments] { return Verify(*arguments); }; });
}

}  // namespace parity::cli
