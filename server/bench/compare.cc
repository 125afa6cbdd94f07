#include "compare.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "grpc_load.h"
#include "measurement.h"
#include "naive_role.h"
#include "socket_load.h"

namespace parity::bench {
namespace {

absl::StatusOr<double> SocketRate(const Setup& setup, const ServerProcess& server, const Row& row,
                                  const Workload& workload) {
  std::vector<std::unique_ptr<Load>> loads;
  const auto parts = static_cast<size_t>(row.connections);
  for (size_t part = 0; part < parts; ++part) {
    absl::StatusOr<std::unique_ptr<Load>> load =
        OpenSocketLoad(server.endpoint(row.transport), workload,
                       {DepthOf(setup, workload.job), setup.gather, part, parts});
    if (!load.ok()) return load.status();
    loads.push_back(*std::move(load));
  }
  const absl::StatusOr<Measurement> measured =
      Measure(std::move(loads), server.pid(), setup.duration);
  if (!measured.ok()) return measured.status();
  return measured->requests_per_s;
}

}  // namespace

std::optional<double> Result::ratio() const {
  if (!gbps.has_value() || !socket_gbps.has_value()) return std::nullopt;
  return *gbps / *socket_gbps;
}

absl::StatusOr<Servers> StartServers(const Setup& setup) {
  Servers servers;
  absl::StatusOr<std::unique_ptr<ServerProcess>> server = StartSubject(setup, "subject");
  if (!server.ok()) return server.status();
  servers.subject = *std::move(server);
  server = StartRole(setup, "socket-server");
  if (!server.ok()) return server.status();
  servers.socket = *std::move(server);
  server = StartRole(setup, "naive-server");
  if (!server.ok()) return server.status();
  servers.naive = *std::move(server);
  return servers;
}

absl::StatusOr<Result> Compare(const Setup& setup, const Servers& servers, const Row& row,
                               const Sources& sources) {
  const Workload workload = {Job{setup.geometry, row.shard_bytes, row.stripes}, sources,
                             setup.table};
  const ServerProcess& server = *servers.subject;
  Result result;
  result.row = row;
  std::vector<double> rates;
  std::vector<double> cpu;
  std::vector<double> socket_rates;
  std::vector<double> naive_rates;
  timing::LatencyHistogram latencies;
  for (int round = 0; round < setup.rounds; ++round) {
    if (result.note.empty()) {
      absl::StatusOr<std::vector<std::unique_ptr<Load>>> loads =
          OpenGrpcLoads(server.endpoint(row.transport), row.mode, workload, row.connections,
                        DepthOf(setup, workload.job));
      if (!loads.ok()) return loads.status();
      const absl::StatusOr<Measurement> measured =
          Measure(*std::move(loads), server.pid(), setup.duration);
      if (absl::IsUnimplemented(measured.status())) {
        result.note = std::string(measured.status().message());
      } else if (!measured.ok()) {
        return measured.status();
      } else {
        rates.push_back(measured->requests_per_s);
        cpu.push_back(measured->server_cpu_s_per_request);
        latencies.Merge(measured->latencies);
      }
    }
    const absl::StatusOr<double> socket_rate = SocketRate(setup, *servers.socket, row, workload);
    if (!socket_rate.ok()) return socket_rate.status();
    socket_rates.push_back(*socket_rate);
    if (!row.with_naive) continue;
    const absl::StatusOr<double> naive_rate = NaiveRate(setup, *servers.naive, row);
    if (!naive_rate.ok()) return naive_rate.status();
    naive_rates.push_back(*naive_rate);
  }
  if (!rates.empty()) {
    const double rate = Median(std::move(rates));
    result.gbps = Gbps(rate, workload.job);
    result.stripes_per_s = rate * static_cast<double>(row.stripes);
    result.p50_us = latencies.QuantileUs(0.5);
    result.p99_us = latencies.QuantileUs(0.99);
    result.server_cpu_s_per_gb =
        Median(std::move(cpu)) * 1e9 / static_cast<double>(workload.job.source_bytes());
  }
  result.socket_gbps = Gbps(Median(std::move(socket_rates)), workload.job);
  if (!naive_rates.empty()) result.naive_gbps = Gbps(Median(std::move(naive_rates)), workload.job);
  return result;
}

}  // namespace parity::bench
