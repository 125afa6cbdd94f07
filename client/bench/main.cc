// parity_client_bench: what the client library costs beside the bare kernels and, with a server,
// what its checksums cost.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "parity/client/client.h"
#include "parity/client/local_coder.h"
#include "parity/kernels/dispatch.h"
#include "workload.h"

namespace parity::bench {
namespace {

struct Options {
  std::string server;
  int rounds = 101;
};

std::vector<codec::Geometry> Geometries() {
  return {*codec::Geometry::Make(codec::Code::kXor, 4, 1),
          *codec::Geometry::Make(codec::Code::kRaid6, 8, 2),
          *codec::Geometry::Make(codec::Code::kReedSolomon, 4, 2),
          *codec::Geometry::Make(codec::Code::kReedSolomon, 10, 4)};
}

std::string NameOf(const codec::Geometry& geometry, size_t shard_bytes) {
  return absl::StrFormat("%-5s %2d+%d %7d", codec::NameOf(geometry.code()), geometry.data_shards(),
                         geometry.parity_shards(), shard_bytes);
}

absl::Status MeasureLocal(const Options& options) {
  const absl::StatusOr<const kernels::KernelTable*> table = kernels::SelectTable("auto");
  if (!table.ok()) return table.status();
  absl::StatusOr<std::unique_ptr<client::Client>> client = client::Client::Make({});
  if (!client.ok()) return client.status();
  absl::PrintF("in this process, %s; GB/s of data, medians of %d interleaved rounds\n",
               (*table)->name, options.rounds);
  absl::PrintF("code  shape   bytes   client  kernel   ratio  ns a call beside the kernel\n");
  for (const codec::Geometry& geometry : Geometries()) {
    for (const size_t shard_bytes : {4096u, 65536u, 262144u, 1048576u, 4194304u}) {
      const Workload workload(geometry, shard_bytes);
      const std::vector<double> ns = timing::MedianNanoseconds(
          {workload.Encode(**client), workload.Kernel(**table)}, options.rounds);
      absl::PrintF("%s  %6.2f  %6.2f   %5.3f  %.0f\n", NameOf(geometry, shard_bytes),
                   workload.data_bytes() / ns[0], workload.data_bytes() / ns[1], ns[1] / ns[0],
                   ns[0] - ns[1]);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<client::Client>> Connect(const std::string& server,
                                                        uint64_t checksum_from_bytes) {
  client::ClientOptions options;
  options.targets = {server};
  options.policy = client::Policy::kRemoteOnly;
  options.connection.region_bytes = 0;
  options.connection.checksum_from_bytes = checksum_from_bytes;
  return client::Client::Make(options);
}

absl::Status MeasureServer(const Options& options) {
  const absl::StatusOr<std::unique_ptr<client::Client>> with = Connect(options.server, 0);
  if (!with.ok()) return with.status();
  const absl::StatusOr<std::unique_ptr<client::Client>> without =
      Connect(options.server, UINT64_MAX);
  if (!without.ok()) return without.status();
  absl::StatusOr<std::unique_ptr<client::Coder>> local = client::MakeLocalCoder();
  if (!local.ok()) return local.status();
  absl::PrintF("by %s over gRPC, one call at a time; GB/s of data\n", options.server);
  absl::PrintF("code  shape   bytes   with CRC32C  without   ratio   here\n");
  for (const codec::Geometry& geometry : Geometries()) {
    for (const size_t shard_bytes : {512u, 4096u, 16384u, 65536u, 262144u, 1048576u}) {
      const Workload workload(geometry, shard_bytes);
      const std::vector<double> ns = timing::MedianNanoseconds(
          {workload.Encode(**with), workload.Encode(**without), workload.Encode(**local)},
          options.rounds);
      absl::PrintF("%s  %11.3f  %7.3f   %5.3f  %5.2f\n", NameOf(geometry, shard_bytes),
                   workload.data_bytes() / ns[0], workload.data_bytes() / ns[1], ns[1] / ns[0],
                   workload.data_bytes() / ns[2]);
    }
  }
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  CLI::App app("Measures the client library beside the bare kernels.", "parity_client_bench");
  Options options;
  app.add_option("--server", options.server, "Measure what checksums cost, too, at this parityd")
      ->type_name("ADDR");
  app.add_option("--rounds", options.rounds, "Of which medians are taken")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  absl::Status status = MeasureLocal(options);
  if (status.ok() && !options.server.empty()) status = MeasureServer(options);
  if (status.ok()) return 0;
  absl::FPrintF(stderr, "parity_client_bench: %s\n", status.message());
  return 1;
}

}  // namespace
}  // namespace parity::bench

int main(int argc, char** argv) { return parity::bench::Main(argc, argv); }
