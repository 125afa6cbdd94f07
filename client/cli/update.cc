#include "parity/shardfile/update.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "coder_options.h"
#include "commands.h"
#include "input.h"
#include "object_run.h"
#include "object_set.h"
#include "option_values.h"
#include "output.h"
#include "parity/shardfile/output_file.h"
#include "parity/shardfile/shard_set.h"

namespace parity::cli {
namespace {

struct UpdateArguments {
  std::vector<std::string> paths;
  std::optional<uint64_t> offset;
  std::optional<uint32_t> shard;
  std::optional<uint64_t> shard_offset;
  std::string data_file = "-";
  CoderOptions coder;
  OutputOptions output;
};

absl::StatusOr<shardfile::File> OpenData(const UpdateArguments& arguments,
                                         const shardfile::ShardSet& set, uint64_t most_bytes) {
  if (arguments.data_file != "-") return shardfile::File::OpenForReading(arguments.data_file);
  return SpoolStandardInput(shardfile::DirectoryOf(set.members.front().path), most_bytes);
}

absl::StatusOr<shardfile::UpdatedObject> UpdateIn(const UpdateArguments& arguments,
                                                  const shardfile::ShardSet& set) {
  const shardfile::UpdatePlace place{arguments.shard,
                                     arguments.offset.value_or(arguments.shard_offset.value_or(0))};
  const std::vector<OptionOfField> names = {
      {"data_shard", "--shard"},
      {"offset", arguments.shard ? "--shard-offset" : "--offset"},
      {"source", "--data-file"}};
  const absl::StatusOr<uint64_t> room = shardfile::BytesFrom(set.layout, place);
  if (!room.ok()) return NameOption(room.status(), names);
  absl::StatusOr<ObjectRun> run = ObjectRun::Start(arguments.coder, arguments.output);
  if (!run.ok()) return run.status();
  const absl::StatusOr<shardfile::File> data = OpenData(arguments, set, *room);
  if (!data.ok()) return data.status();
  absl::StatusOr<shardfile::UpdatedObject> updated =
      shardfile::UpdateObject(run->coder(), set, place, *data, run->Options());
  if (!updated.ok()) return NameOption(updated.status(), names);
  return updated;
}

absl::StatusOr<ExitCode> Update(const UpdateArguments& arguments) {
  if (arguments.offset.has_value() == arguments.shard.has_value()) {
    return absl::InvalidArgumentError(
        "--offset, --shard: got both or none, want --offset N or --shard I --shard-offset N");
  }
  const absl::StatusOr<shardfile::FoundShards> found = shardfile::FindShards(arguments.paths);
  if (!found.ok()) return found.status();
  const absl::StatusOr<shardfile::ShardSet> set = OnlyObject(*found);
  if (!set.ok()) return set.status();
  const absl::StatusOr<shardfile::UpdatedObject> updated = UpdateIn(arguments, *set);
  if (!updated.ok()) return updated.status();
  if (arguments.output.json) {
    Json json = ObjectAsJson(set->object_id, set->layout);
    json["bytes_replaced"] = updated->bytes;
    json["blocks_written"] = updated->blocks;
    json["shards_written"] = updated->shards;
    PrintJson(json);
  } else if (arguments.output.prints_lines()) {
    absl::PrintF("object %s: %d bytes replaced, %d blocks written in shards %s\n",
                 set->object_id.ToString(), updated->bytes, updated->blocks,
                 updated->shards.empty() ? "none" : absl::StrJoin(updated->shards, ", "));
  }
  return ExitCode::kGood;
}

}  // namespace

void AddUpdate(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<UpdateArguments>();
  CLI::App* update = app.add_subcommand(
      "update", "Replaces bytes of an object in its shards, and brings parity up to date");
  update
      ->add_option("PATH", arguments->paths,
                   "All shard files of one object, or directories with its *.shard files")
      ->type_name("")
      ->required();
  update
      ->add_option("--offset", arguments->offset,
                   "Where in the object the first byte goes, counted from 0")
      ->type_name("N");
  CLI::Option* shard =
      update
          ->add_option("--shard", arguments->shard, "Instead, the data shard that the bytes go to")
          ->type_name("I");
  CLI::Option* shard_offset = update
                                  ->add_option("--shard-offset", arguments->shard_offset,
                                               "Where in that shard the first byte goes")
                                  ->type_name("N")
                                  ->needs(shard);
  shard->needs(shard_offset);
  update
      ->add_option("--data-file", arguments->data_file,
                   "What the bytes become: as many are replaced as it has. Default: standard\n"
                   "input, up to its end")
      ->type_name("FILE");
  AddCoderOptions(*update, arguments->coder);
  AddOutputOptions(*update, arguments->output);
  update->footer(absl::StrCat(
      "Only blocks that the bytes lie in are read and written, with those of parity beside them; "
      "their checksums\n"
      "must match. The object keeps its size. All shards must be there: repair first. What is "
      "written goes to a\n"
      "file parity-<object id>.journal beside the shards before. If the update is interrupted, "
      "verify and decode\n"
      "refuse the object until repair, or the next update, has finished it from there.\n\n"
      "Examples:\n"
      "  parityctl update /mnt/shards --offset 4096 --data-file page\n"
      "  printf 'new' | parityctl update /mnt/shards --shard 2 --shard-offset 0\n\n"
      "JSON: object_id, bytes, code, matrix, data_shards, parity_shards, bytes_replaced, "
      "blocks_written,\n"
      "shards_written.\n",
      kJsonHelp, kExitCodesHelp));
  update->callback([arguments, &command] { command = [arguments] { return Update(*arguments); }; });
}

}  // namespace parity::cli
