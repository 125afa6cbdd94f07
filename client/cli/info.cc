#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "coder_options.h"
#include "commands.h"
#include "parity/shardfile/shard_set.h"

namespace parity::cli {
namespace {

struct InfoArguments {
  std::vector<std::string> paths;
  ServerOptions server;
};

void Print(const shardfile::ShardSet& set) {
  const shardfile::Layout& layout = set.layout;
  const codec::Geometry& geometry = layout.geometry();
  absl::PrintF(
      "object %s\n"
      "  code %s, matrix %s, %d data and %d parity shards\n"
      "  %d bytes in %d stripes, %d bytes a shard, cells of %d bytes, blocks of %d bytes\n",
      set.object_id.ToString(), codec::NameOf(geometry.code()), codec::NameOf(geometry.matrix()),
      geometry.data_shards(), geometry.parity_shards(), layout.object_bytes(), layout.stripes(),
      layout.shard_bytes(), layout.cell_bytes(), layout.block_bytes());
  for (size_t index = 0; index < set.members.size(); ++index) {
    const shardfile::ShardSet::Member& member = set.members[index];
    absl::PrintF("  shard %d, %s: %s\n", index, index < geometry.data_shards() ? "data" : "parity",
                 member.fault.ok() ? member.path : std::string(member.fault.message()));
  }
}

absl::StatusOr<ExitCode> PrintShards(const std::vector<std::string>& paths) {
  const absl::StatusOr<shardfile::FoundShards> found = shardfile::FindShards(paths);
  if (!found.ok()) return found.status();
  for (const shardfile::ShardSet& set : found->sets) Print(set);
  for (const shardfile::FoundShards::Stray& stray : found->strays) {
    absl::PrintF("no object: %s\n", stray.fault.message());
  }
  return found->strays.empty() ? ExitCode::kGood : ExitCode::kDamaged;
}

std::string TimeOrNever(absl::Duration duration) {
  return duration == absl::ZeroDuration() ? "never" : absl::FormatDuration(duration);
}

absl::StatusOr<ExitCode> PrintServer(const ServerOptions& options) {
  const absl::StatusOr<std::unique_ptr<client::Client>> coder = MakeRemoteCoder(options);
  if (!coder.ok()) return coder.status();
  const absl::StatusOr<client::ServerInfo> info = (*coder)->GetServerInfo();
  if (!info.ok()) return info.status();
  absl::PrintF("parityd %s (%s)\n", info->version, info->revision);
  absl::PrintF("addresses: %s\n", absl::StrJoin(info->addresses, ", "));
  absl::PrintF("kernels: %s (usable: %s)\n", info->kernels,
               absl::StrJoin(info->usable_kernels, ", "));
  absl::PrintF(
      "limits: %d bytes and %d stripes a message, %d shards a stripe, %d calls a connection, %d "
      "requests a stream, %d bytes held, %d connections\n",
      info->max_message_bytes, info->max_stripes_per_message, info->max_shards,
      info->max_calls_per_connection, info->max_requests_per_stream, info->max_held_bytes,
      info->max_connections);
  if (info->max_regions == 0) {
    absl::PrintF("shared memory: none\n");
  } else {
    absl::PrintF(
        "shared memory: %d bytes a client, %d bytes and %d clients in all, workers look for more "
        "for %s\n",
        info->max_region_bytes, info->max_regions_bytes, info->max_regions,
        absl::FormatDuration(info->shm_spin));
  }
  absl::PrintF(
      "connections: stall timeout %s, idle %s, age %s, keepalive %s, pings at least %s apart\n",
      TimeOrNever(info->stall_timeout), TimeOrNever(info->max_connection_idle),
      TimeOrNever(info->max_connection_age), TimeOrNever(info->keepalive),
      absl::FormatDuration(info->min_ping_interval));
  for (size_t worker = 0; worker < info->workers.size(); ++worker) {
    absl::PrintF("worker %d: CPU %d, node %d\n", worker, info->workers[worker].cpu,
                 info->workers[worker].node);
  }
  for (const client::ServerInfo::Node& node : info->nodes) {
    absl::PrintF("node %d: %.1f GiB of memory, CPUs %s\n", node.id,
                 static_cast<double>(node.memory_bytes) / (1 << 30),
                 absl::StrJoin(node.cpus, ", "));
  }
  return ExitCode::kGood;
}

}  // namespace

void AddInfo(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<InfoArguments>();
  CLI::App* info = app.add_subcommand(
      "info", "Prints the headers of shards or, without PATH, what a server says of itself");
  CLI::Option* paths =
      info->add_option("PATH", arguments->paths, "Shard files, or directories with *.shard files");
  AddServerOptions(*info, arguments->server);
  paths->type_name("")->excludes("--server")->excludes("--timeout");
  info->footer(
      absl::StrCat("Of an object it prints one line for each shard that there is or should be. "
                   "Only headers are read;\n"
                   "verify checks the contents.\n\n"
                   "Examples:\n"
                   "  parityctl info backup.tar.*.shard\n"
                   "  parityctl info --server unix:/run/parityd/parityd.sock\n\n",
                   kExitCodesHelp));
  info->callback([arguments, &command] {
    command = [arguments] {
      return arguments->paths.empty() ? PrintServer(arguments->server)
                                      : PrintShards(arguments->paths);
    };
  });
}

}  // namespace parity::cli
