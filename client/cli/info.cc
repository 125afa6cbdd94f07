#include <algorithm>
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
#include "interrupt.h"
#include "object_set.h"
#include "output.h"
#include "parity/shardfile/shard_set.h"
#include "parity/shardfile/update.h"

namespace parity::cli {
namespace {

struct InfoArguments {
  std::vector<std::string> paths;
  ServerOptions server;
  OutputOptions output;
};

void Print(const shardfile::ShardSet& set, const std::vector<std::string>& updates) {
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
  for (const std::string& journal : updates) absl::PrintF("  unfinished update: %s\n", journal);
}

Json ShardsAsJson(const shardfile::ShardSet& set) {
  Json shards = Json::array();
  for (const shardfile::ShardSet::Member& member : set.members) {
    Json shard = {{"path", member.path}};
    if (!member.fault.ok()) shard["fault"] = std::string(member.fault.message());
    shards.push_back(std::move(shard));
  }
  return shards;
}

bool HasUnreadable(const shardfile::ShardSet& set) {
  return std::any_of(set.members.begin(), set.members.end(), [](const auto& member) {
    return member.state == shardfile::ShardSet::Member::State::kUnreadable ||
           member.state == shardfile::ShardSet::Member::State::kRefused;
  });
}

absl::StatusOr<ExitCode> PrintShards(const InfoArguments& arguments) {
  const absl::StatusOr<shardfile::FoundShards> found = shardfile::FindShards(arguments.paths);
  if (!found.ok()) return found.status();
  return ForEachObject(*found, arguments.output,
                       [&](const shardfile::ShardSet& set, Json& json) -> absl::StatusOr<bool> {
                         json["cell_bytes"] = set.layout.cell_bytes();
                         json["block_bytes"] = set.layout.block_bytes();
                         json["shard_bytes"] = set.layout.shard_bytes();
                         json["stripes"] = set.layout.stripes();
                         json["shards"] = ShardsAsJson(set);
                         const std::vector<std::string> updates = shardfile::UnfinishedUpdates(set);
                         json["unfinished_updates"] = updates;
                         if (arguments.output.prints_lines()) Print(set, updates);
                         return !HasUnreadable(set) && updates.empty();
                       });
}

std::string TimeOrNever(absl::Duration duration) {
  return duration == absl::ZeroDuration() ? "never" : absl::FormatDuration(duration);
}

void Print(const client::ServerInfo& info) {
  absl::PrintF("parityd %s (%s)\n", info.version, info.revision);
  absl::PrintF("addresses: %s\n", absl::StrJoin(info.addresses, ", "));
  absl::PrintF("kernels: %s (usable: %s)\n", info.kernels,
               absl::StrJoin(info.usable_kernels, ", "));
  absl::PrintF(
      "limits: %d bytes and %d stripes a message, %d shards a stripe, %d calls a connection, %d "
      "requests a stream, %d bytes held, %d connections\n",
      info.max_message_bytes, info.max_stripes_per_message, info.max_shards,
      info.max_calls_per_connection, info.max_requests_per_stream, info.max_held_bytes,
      info.max_connections);
  if (info.max_regions == 0) {
    absl::PrintF("shared memory: none\n");
  } else {
    absl::PrintF(
        "shared memory: %d bytes a client, %d bytes and %d clients in all, workers look for more "
        "for %s\n",
        info.max_region_bytes, info.max_regions_bytes, info.max_regions,
        absl::FormatDuration(info.shm_spin));
  }
  absl::PrintF(
      "connections: stall timeout %s, idle %s, age %s, keepalive %s, pings at least %s apart\n",
      TimeOrNever(info.stall_timeout), TimeOrNever(info.max_connection_idle),
      TimeOrNever(info.max_connection_age), TimeOrNever(info.keepalive),
      absl::FormatDuration(info.min_ping_interval));
  for (size_t worker = 0; worker < info.workers.size(); ++worker) {
    absl::PrintF("worker %d: CPU %d, node %d\n", worker, info.workers[worker].cpu,
                 info.workers[worker].node);
  }
  for (const client::ServerInfo::Node& node : info.nodes) {
    absl::PrintF("node %d: %.1f GiB of memory, CPUs %s\n", node.id,
                 static_cast<double>(node.memory_bytes) / (1 << 30),
                 absl::StrJoin(node.cpus, ", "));
  }
}

double SecondsOf(absl::Duration duration) { return absl::ToDoubleSeconds(duration); }

Json ServerAsJson(const client::ServerInfo& info) {
  Json json = {{"version", info.version},
               {"revision", info.revision},
               {"addresses", info.addresses},
               {"kernels", info.kernels},
               {"usable_kernels", info.usable_kernels}};
  json["limits"] = {{"message_bytes", info.max_message_bytes},
                    {"stripes_per_message", info.max_stripes_per_message},
                    {"shards", info.max_shards},
                    {"calls_per_connection", info.max_calls_per_connection},
                    {"requests_per_stream", info.max_requests_per_stream},
                    {"held_bytes", info.max_held_bytes},
                    {"connections", info.max_connections}};
  json["shared_memory"] = {{"region_bytes", info.max_region_bytes},
                           {"regions_bytes", info.max_regions_bytes},
                           {"regions", info.max_regions},
                           {"spin_seconds", SecondsOf(info.shm_spin)}};
  json["connections"] = {{"stall_timeout_seconds", SecondsOf(info.stall_timeout)},
                         {"max_idle_seconds", SecondsOf(info.max_connection_idle)},
                         {"max_age_seconds", SecondsOf(info.max_connection_age)},
                         {"keepalive_seconds", SecondsOf(info.keepalive)},
                         {"min_ping_interval_seconds", SecondsOf(info.min_ping_interval)}};
  json["workers"] = Json::array();
  for (const client::ServerInfo::Worker& worker : info.workers) {
    json["workers"].push_back({{"cpu", worker.cpu}, {"node", worker.node}});
  }
  json["nodes"] = Json::array();
  for (const client::ServerInfo::Node& node : info.nodes) {
    json["nodes"].push_back(
        {{"id", node.id}, {"memory_bytes", node.memory_bytes}, {"cpus", node.cpus}});
  }
  return json;
}

absl::StatusOr<ExitCode> PrintServer(const InfoArguments& arguments) {
  const absl::StatusOr<std::unique_ptr<client::Client>> client = MakeServerClient(arguments.server);
  if (!client.ok()) return client.status();
  const absl::StatusOr<client::ServerInfo> info =
      (*client)->GetServerInfo({absl::InfiniteFuture(), &Interruption(), Traceparent()});
  if (!info.ok()) return info.status();
  if (arguments.output.json) {
    PrintJson(ServerAsJson(*info));
  } else if (arguments.output.prints_lines()) {
    Print(*info);
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
  AddOutputOptions(*info, arguments->output);
  paths->type_name("")->excludes("--server")->excludes("--timeout")->excludes("--tls-ca");
  info->footer(absl::StrCat(
      "Of an object it prints one line for each shard that there is or should be. "
      "Only headers are read;\n"
      "verify checks the contents.\n\n"
      "Examples:\n"
      "  parityctl info backup.tar.*.shard\n"
      "  parityctl info --server unix:/run/parityd/parityd.sock\n\n",
      "JSON of shards: objects, strays (files of no object: path, message). Of an "
      "object: object_id, bytes,\n"
      "code, matrix, data_shards, parity_shards, cell_bytes, block_bytes, shard_bytes, "
      "stripes, unfinished_updates\n"
      "(journals), shards (path, and fault if there is one). JSON of a server: version, revision, "
      "addresses, "
      "kernels, usable_kernels, limits,\n"
      "shared_memory, connections (0 seconds: never), workers, nodes.\n",
      kJsonHelp, kExitCodesHelp));
  info->callback([arguments, &command] {
    command = [arguments] {
      return arguments->paths.empty() ? PrintServer(*arguments) : PrintShards(*arguments);
    };
  });
}

}  // namespace parity::cli
