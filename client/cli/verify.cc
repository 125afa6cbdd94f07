#include "parity/shardfile/verify.h"

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

struct VerifyArguments {
  std::vector<std::string> paths;
  CoderOptions coder;
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

absl::StatusOr<ExitCode> Verify(const VerifyArguments& arguments) {
  const absl::StatusOr<std::unique_ptr<client::Coder>> coder = MakeCoder(arguments.coder);
  if (!coder.ok()) return coder.status();
  const absl::StatusOr<shardfile::FoundShards> found = shardfile::FindShards(arguments.paths);
  if (!found.ok()) return found.status();
  bool good = found->strays.empty();
  shardfile::RunOptions run = UntilInterrupted();
  AllocateFrom(**coder, run);
  for (const shardfile::ShardSet& set : found->sets) {
    const absl::StatusOr<shardfile::SetReport> report = shardfile::VerifySet(**coder, set, run);
    if (!report.ok()) return report.status();
    Print(set, *report);
    good = good && report->consistent();
  }
  for (const shardfile::FoundShards::Stray& stray : found->strays) {
    absl::PrintF("no object: %s\n", stray.fault.message());
  }
  return good ? ExitCode::kGood : ExitCode::kDamaged;
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
  verify->footer(
      absl::StrCat("Reads every shard whole: checks presence, header, length, the checksum of each "
                   "block, and whether\n"
                   "parity fits the data, which finds a shard that is wrong in spite of its "
                   "checksums. Prints one line\n"
                   "for each object and one for each damage. Offsets are in bytes and count from "
                   "0: those in a shard do\n"
                   "not count header and checksums, those in a file do.\n\n"
                   "Examples:\n"
                   "  parityctl verify /mnt/shards\n"
                   "  parityctl verify backup.tar.*.shard --server local\n\n",
                   kExitCodesHelp));
  verify->callback([arguments, &command] { command = [arguments] { return Verify(*arguments); }; });
}

}  // namespace parity::cli
