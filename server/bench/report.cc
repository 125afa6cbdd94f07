#include "report.h"

#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "figures.h"
#include "parity/version/version.h"
#include "server_stats.h"

namespace parity::bench {
namespace {

std::string CpuModel() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line)) {
    const size_t colon = line.find(": ");
    if (absl::StartsWith(line, "model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown CPU";
}

std::string Cell(const std::optional<double>& value, int decimals) {
  return value.has_value() ? absl::StrFormat("%.*f", decimals, *value) : "-";
}

}  // namespace

void PrintCircumstances(std::FILE* to, const Setup& setup, CodeOf code) {
  absl::FPrintF(to,
                "machine: %s, %d CPUs, shared by client and server\n"
                "kernels: %s; ",
                CpuModel(), std::thread::hardware_concurrency(), setup.table->name);
  if (code == CodeOf::kRun) {
    absl::FPrintF(to, "code: %s, %d + %d shards; ", codec::NameOf(setup.geometry.code()),
                  setup.geometry.data_shards(), setup.geometry.parity_shards());
  }
  absl::FPrintF(to, "build: %s (%s)\n", version::Version(), version::Revision());
}

void PrintRuns(std::FILE* to, const ServerProcess& server) {
  const absl::StatusOr<std::string> runs = DescribeRuns(server.endpoint(Transport::kUnix));
  absl::FPrintF(to, "%s\n",
                runs.ok() ? *runs : absl::StrCat("no figures of runs: ", runs.status().message()));
}

void PrintTableHeader(std::FILE* to) {
  absl::FPrintF(to, "%-5s %-6s %8s %7s %5s %7s %7s %6s %7s %10s %8s %8s %7s\n", "", "", "shard",
                "stripes", "conn.", "GB/s", "socket", "ratio", "naive", "stripes/s", "p50 us",
                "p99 us", "CPU s/GB");
}

void PrintTableRow(std::FILE* to, const Result& result) {
  const Row& row = result.row;
  absl::FPrintF(to, "%-5s %-6s %8d %7d %5d %7s %7s %6s %7s %10s %8s %8s %7s\n",
                NameOf(row.transport), NameOf(row.mode), row.shard_bytes, row.stripes,
                row.connections, Cell(result.gbps, 3), Cell(result.socket_gbps, 3),
                Cell(result.ratio(), 3), Cell(result.naive_gbps, 3), Cell(result.stripes_per_s, 0),
                Cell(result.p50_us, 1), Cell(result.p99_us, 1),
                Cell(result.server_cpu_s_per_gb, 3));
}

void PrintJsonRow(std::FILE* to, const Result& result) {
  const Row& row = result.row;
  Figures figures;
  figures.Add("transport", std::string(NameOf(row.transport)));
  figures.Add("mode", std::string(NameOf(row.mode)));
  figures.Add("shard_bytes", static_cast<double>(row.shard_bytes));
  figures.Add("stripes_per_message", static_cast<double>(row.stripes));
  figures.Add("connections", row.connections);
  figures.Add("gbps", result.gbps);
  figures.Add("socket_gbps", result.socket_gbps);
  figures.Add("ratio", result.ratio());
  figures.Add("naive_gbps", result.naive_gbps);
  figures.Add("stripes_per_s", result.stripes_per_s);
  figures.Add("p50_us", result.p50_us);
  figures.Add("p99_us", result.p99_us);
  figures.Add("server_cpu_s_per_gb", result.server_cpu_s_per_gb);
  figures.PrintJson(to);
}

}  // namespace parity::bench
