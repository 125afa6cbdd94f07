#include "shm_report.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "figures.h"

namespace parity::bench {
namespace {

std::string TextOf(const codec::Geometry& geometry) {
  return absl::StrCat(std::string(codec::NameOf(geometry.code())), " ", geometry.data_shards(), "+",
                      geometry.parity_shards());
}

}  // namespace

void PrintShmTableHeader(std::FILE* to) {
  absl::FPrintF(to, "%-10s %-7s %8s %7s %5s %7s %7s %6s %7s %10s %8s %8s %8s %8s\n", "", "",
                "shard", "stripes", "depth", "GB/s", "local", "ratio", "reading", "stripes/s",
                "p50 us", "p99 us", "CPU s/GB", "gRPC p50");
}

void PrintShmTableRow(std::FILE* to, const ShmResult& result) {
  const ShmRow& row = result.row;
  absl::FPrintF(
      to, "%-10s %-7s %8d %7d %5d %7.3f %7.3f %6.3f %7.3f %10.0f %8.1f %8.1f %8.4f %8s\n",
      TextOf(row.geometry), NameOf(row.access), row.shard_bytes, row.stripes, row.depth,
      result.gbps, result.local_gbps, result.ratio(), result.read_limit_gbps, result.stripes_per_s,
      result.p50_us, result.p99_us, result.server_cpu_s_per_gb,
      result.unary_p50_us.has_value() ? absl::StrFormat("%.1f", *result.unary_p50_us) : "-");
}

void PrintShmJsonRow(std::FILE* to, const ShmResult& result) {
  const ShmRow& row = result.row;
  Figures figures;
  figures.Add("transport", "shm");
  figures.Add("mode", NameOf(row.access));
  figures.Add("code", std::string(codec::NameOf(row.geometry.code())));
  figures.Add("data_shards", row.geometry.data_shards());
  figures.Add("parity_shards", row.geometry.parity_shards());
  figures.Add("shard_bytes", static_cast<double>(row.shard_bytes));
  figures.Add("stripes_per_message", static_cast<double>(row.stripes));
  figures.Add("connections", 1);
  figures.Add("depth", static_cast<double>(row.depth));
  figures.Add("gbps", result.gbps);
  figures.Add("local_gbps", result.local_gbps);
  figures.Add("ratio", result.ratio());
  figures.Add("read_limit_gbps", result.read_limit_gbps);
  figures.Add("stripes_per_s", result.stripes_per_s);
  figures.Add("local_stripes_per_s", result.local_stripes_per_s);
  figures.Add("p50_us", result.p50_us);
  figures.Add("p99_us", result.p99_us);
  figures.Add("server_cpu_s_per_gb", result.server_cpu_s_per_gb);
  figures.Add("unary_p50_us", result.unary_p50_us);
  figures.Add("checked", static_cast<double>(result.checked));
  figures.PrintJson(to);
}

}  // namespace parity::bench
