#include "bench_report.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "parity/client/request.h"

namespace parity::cli {
namespace {

using Json = nlohmann::ordered_json;
using load::LoadResult;
using timing::LatencyHistogram;

struct Quantile {
  double share;
  const char* name;
};
constexpr Quantile kQuantiles[] = {
    {0.5, "p50"}, {0.9, "p90"}, {0.99, "p99"}, {0.999, "p99.9"}, {0.9999, "p99.99"}};

double PerSecond(uint64_t number, const LoadResult& result) {
  return result.seconds > 0 ? static_cast<double>(number) / result.seconds : 0;
}

double Gbps(const LoadResult& result) { return PerSecond(result.data_bytes, result) / 1e9; }

std::string SizesOf(const load::SizeMix& mix) {
  return absl::StrJoin(mix, ", ", [&mix](std::string* text, const load::Weighted<size_t>& each) {
    absl::StrAppend(text, each.value);
    if (mix.size() > 1) absl::StrAppend(text, "=", each.weight);
  });
}

std::string OperationsOf(const LoadResult& result) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < result.by_operation.size(); ++i) {
    if (result.by_operation[i] == 0) continue;
    parts.push_back(absl::StrCat(client::NameOf(static_cast<client::Operation>(i)), " ",
                                 result.by_operation[i]));
  }
  return absl::StrJoin(parts, ", ");
}

std::string LoopOf(const load::LoadOptions& options) {
  if (!options.rate) return "closed loop";
  return absl::StrFormat("%g calls/s due, %s arrivals", *options.rate,
                         options.arrivals == load::Arrivals::kPoisson ? "Poisson" : "constant");
}

void PrintLatencies(const char* name, const LatencyHistogram& latencies) {
  absl::PrintF("%-24s", name);
  for (const Quantile& each : kQuantiles) {
    absl::PrintF(" %10.1f", latencies.QuantileUs(each.share));
  }
  absl::PrintF(" %10.1f\n", static_cast<double>(latencies.max_ns()) * 1e-3);
}

void PrintClient(const client::ClientStats& stats) {
  absl::PrintF(
      "slices: %d by servers, %d here, %d here for want of a server; %d damaged on the way\n"
      "retries: %d, %d refused; %d pushbacks; hedges: %d, %d won\n",
      stats.remote_slices, stats.local_slices, stats.fallback_slices, stats.damaged_shards,
      stats.retries, stats.retries_refused, stats.pushbacks, stats.hedges, stats.hedges_won);
  for (const client::ClientStats::Server& server : stats.servers) {
    absl::PrintF("server %s: %d attempts, %d failed%s\n", server.address, server.attempts,
                 server.failures, server.usable ? "" : "; given up for the moment");
  }
}

Json LatenciesAsJson(const LatencyHistogram& latencies) {
  Json json = {{"count", latencies.count()}};
  for (const Quantile& each : kQuantiles) {
    const std::string name = absl::StrReplaceAll(each.name, {{".", "_"}});
    json[absl::StrCat(name, "_us")] = latencies.QuantileUs(each.share);
  }
  json["max_us"] = static_cast<double>(latencies.max_ns()) * 1e-3;
  Json buckets = Json::array();
  for (const LatencyHistogram::Bucket& each : latencies.Buckets()) {
    buckets.push_back({each.lower_ns, each.upper_ns, each.count});
  }
  json["buckets"] = std::move(buckets);
  return json;
}

Json ClientAsJson(const client::ClientStats& stats) {
  Json servers = Json::array();
  for (const client::ClientStats::Server& server : stats.servers) {
    servers.push_back({{"address", server.address},
                       {"attempts", server.attempts},
                       {"failures", server.failures},
                       {"usable", server.usable}});
  }
  return {{"calls", stats.calls},
          {"failed_calls", stats.failed_calls},
          {"remote_slices", stats.remote_slices},
          {"local_slices", stats.local_slices},
          {"fallback_slices", stats.fallback_slices},
          {"retries", stats.retries},
          {"retries_refused", stats.retries_refused},
          {"pushbacks", stats.pushbacks},
          {"hedges", stats.hedges},
          {"hedges_won", stats.hedges_won},
          {"damaged_shards", stats.damaged_shards},
          {"servers", std::move(servers)}};
}

}  // namespace

const char kBenchJsonHelp[] =
    "JSON keys: loop (open, closed), arrivals and rate (null in a closed loop), threads, seconds, "
    "code,\n"
    "matrix, data_shards, parity_shards, shard_bytes [{bytes, weight}], shared_memory, calls, "
    "operations\n"
    "{name: calls}, calls_per_second, data_gbps, errors [{status, count, first}], "
    "unfinished_calls,\n"
    "expected_interval_us (null in an open loop), latency and service {count, p50_us, p90_us, "
    "p99_us,\n"
    "p99_9_us, p99_99_us, max_us, buckets [[from ns, to ns, count]]}, checked_calls, mismatch "
    "(null, or\n"
    "{operation, shard_bytes, shard, offset, what}), client (of its whole life: calls, slices, "
    "retries,\n"
    "hedges, servers; null with --server local).\n\n";

void PrintBench(const BenchReport& report) {
  const LoadResult& result = report.result;
  const codec::Geometry& geometry = report.geometry;
  absl::PrintF("%d+%d shards (%s) of %s bytes, %d threads, %s, %.1f s%s\n", geometry.data_shards(),
               geometry.parity_shards(), codec::NameOf(geometry.code()),
               SizesOf(report.options.work.shard_bytes), report.options.threads,
               LoopOf(report.options), result.seconds,
               result.uses_shared_memory ? ", shards in shared memory" : "");
  absl::PrintF("calls: %d (%s), %.1f/s, %.3f GB/s of data\n", result.calls, OperationsOf(result),
               PerSecond(result.calls, result), Gbps(result));
  absl::PrintF("errors: %d\n", result.failed_calls());
  for (const auto& [code, each] : result.errors) {
    absl::PrintF("  %s: %d, the first: %s\n", absl::StatusCodeToString(code), each.count,
                 each.first);
  }
  if (result.unfinished_calls > 0) {
    absl::PrintF("not answered in time: %d calls that were due\n", result.unfinished_calls);
  }
  absl::PrintF("%-24s", "microseconds");
  for (const Quantile& each : kQuantiles) absl::PrintF(" %10s", each.name);
  absl::PrintF(" %10s\n", "max");
  const std::string corrected =
      absl::StrFormat("due every %.1f", static_cast<double>(result.expected_interval_ns) * 1e-3);
  PrintLatencies(report.options.rate ? "since due" : corrected.c_str(), result.latency);
  PrintLatencies("since begun", result.service);
  if (report.options.work.check) {
    absl::PrintF("checked: %d calls, %s\n", result.checked_calls,
                 result.mismatch ? absl::StrCat("WRONG: ", result.mismatch->ToString())
                                 : "every shard is right");
  }
  PrintClient(report.client);
}

Json BenchAsJson(const BenchReport& report) {
  const LoadResult& result = report.result;
  const codec::Geometry& geometry = report.geometry;
  const load::LoadOptions& options = report.options;
  Json json;
  json["loop"] = options.rate ? "open" : "closed";
  json["arrivals"] = nullptr;
  json["rate"] = nullptr;
  if (options.rate) {
    json["arrivals"] = options.arrivals == load::Arrivals::kPoisson ? "poisson" : "constant";
    json["rate"] = *options.rate;
  }
  json["threads"] = options.threads;
  json["seconds"] = result.seconds;
  json["code"] = std::string(codec::NameOf(geometry.code()));
  json["matrix"] = std::string(codec::NameOf(geometry.matrix()));
  json["data_shards"] = geometry.data_shards();
  json["parity_shards"] = geometry.parity_shards();
  for (const load::Weighted<size_t>& each : options.work.shard_bytes) {
    json["shard_bytes"].push_back({{"bytes", each.value}, {"weight", each.weight}});
  }
  json["shared_memory"] = result.uses_shared_memory;
  json["calls"] = result.calls;
  for (size_t i = 0; i < result.by_operation.size(); ++i) {
    json["operations"][client::NameOf(static_cast<client::Operation>(i))] = result.by_operation[i];
  }
  json["calls_per_second"] = PerSecond(result.calls, result);
  json["data_gbps"] = Gbps(result);
  json["errors"] = Json::array();
  for (const auto& [code, each] : result.errors) {
    json["errors"].push_back(
        {{"status", absl::StatusCodeToString(code)}, {"count", each.count}, {"first", each.first}});
  }
  json["unfinished_calls"] = result.unfinished_calls;
  json["expected_interval_us"] = nullptr;
  if (!options.rate) {
    json["expected_interval_us"] = static_cast<double>(result.expected_interval_ns) * 1e-3;
  }
  json["latency"] = LatenciesAsJson(result.latency);
  json["service"] = LatenciesAsJson(result.service);
  json["checked_calls"] = result.checked_calls;
  json["mismatch"] = nullptr;
  if (result.mismatch) {
    json["mismatch"] = {{"operation", client::NameOf(result.mismatch->operation)},
                        {"shard_bytes", result.mismatch->shard_bytes},
                        {"shard", result.mismatch->shard},
                        {"offset", result.mismatch->offset},
                        {"what", result.mismatch->what}};
  }
  json["client"] = nullptr;
  json["client"] = ClientAsJson(report.client);
  return json;
}

std::string BenchProgress(const LoadResult& so_far) {
  if (so_far.seconds <= 0) return "warming up";
  return absl::StrFormat("%.0f s: %.1f calls/s, %.3f GB/s, p50 %.1f us, p99 %.1f us, %d errors",
                         so_far.seconds, PerSecond(so_far.calls, so_far), Gbps(so_far),
                         so_far.latency.QuantileUs(0.5), so_far.latency.QuantileUs(0.99),
                         so_far.failed_calls());
}

}  // namespace parity::cli
