// parity_transport_bench: parityd over gRPC beside bare sockets, row by row.
#include <cstdio>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compare.h"
#include "grpc_process.h"
#include "naive_role.h"
#include "naive_server.h"
#include "options.h"
#include "report.h"
#include "scenarios.h"
#include "shm_compare.h"
#include "shm_report.h"
#include "socket_server.h"

namespace parity::bench {
namespace {

absl::Status MeasureGrid(const Options& options) {
  const Setup& setup = options.setup;
  const absl::StatusOr<Servers> servers = StartServers(setup);
  if (!servers.ok()) return servers.status();
  size_t request_bytes = 0;
  for (const Row& row : options.rows) {
    const Job job = {setup.geometry, row.shard_bytes, row.stripes};
    request_bytes = std::max(request_bytes, job.source_bytes());
  }
  const absl::StatusOr<Sources> sources = Sources::Make(request_bytes);
  if (!sources.ok()) return sources.status();
  if (!setup.json) PrintTableHeader(stdout);
  for (const Row& row : options.rows) {
    const absl::StatusOr<Result> result = Compare(setup, *servers, row, *sources);
    if (!result.ok()) return result.status();
    (setup.json ? PrintJsonRow : PrintTableRow)(stdout, *result);
    std::fflush(stdout);
    if (!result->note.empty()) {
      absl::FPrintF(stderr, "not measured: %s: %s\n", NameOf(row), result->note);
    }
  }
  PrintRuns(setup.json ? stderr : stdout, *servers->subject);
  return absl::OkStatus();
}

absl::Status MeasureShm(const Options& options) {
  const Setup& setup = options.setup;
  const absl::StatusOr<SharedMemory> shared =
      OpenSharedMemory(setup, options.shm_rows, options.spin);
  if (!shared.ok()) return shared.status();
  if (!setup.json) PrintShmTableHeader(stdout);
  for (const ShmRow& row : options.shm_rows) {
    const absl::StatusOr<ShmResult> result = CompareShm(setup, *shared, row);
    if (!result.ok()) {
      return {result.status().code(), absl::StrCat(NameOf(row), ": ", result.status().message())};
    }
    (setup.json ? PrintShmJsonRow : PrintShmTableRow)(stdout, *result);
    std::fflush(stdout);
  }
  return absl::OkStatus();
}

absl::StatusOr<Figures> RunScenario(const Options& options) {
  const Setup& setup = options.setup;
  switch (options.scenario) {
    case Scenario::kMixed:
      return RunMixed(setup);
    case Scenario::kHalfLoad:
      return RunHalfLoad(setup);
    case Scenario::kOverload:
      return RunOverload(setup, options.max_held_bytes);
    case Scenario::kIdle:
      return RunIdle(setup);
    case Scenario::kWorkers:
      return RunWorkers(setup);
    case Scenario::kNone:
      break;
  }
  return absl::InternalError("no scenario");
}

absl::Status RunBench(const Options& options) {
  const bool json = options.setup.json;
  PrintCircumstances(json ? stderr : stdout, options.setup,
                     options.shm_rows.empty() ? CodeOf::kRun : CodeOf::kRows);
  TuneGrpcProcess();
  if (!options.shm_rows.empty()) return MeasureShm(options);
  if (options.scenario == Scenario::kNone) return MeasureGrid(options);
  const absl::StatusOr<Figures> figures = RunScenario(options);
  if (!figures.ok()) return figures.status();
  if (json) {
    figures->PrintJson(stdout);
  } else {
    figures->PrintText(stdout);
  }
  return absl::OkStatus();
}

absl::Status Run(const Options& options) {
  switch (options.role) {
    case Role::kBench:
      return RunBench(options);
    case Role::kSocketServer:
      return RunSocketServer(options.listen, *options.setup.table);
    case Role::kNaiveServer:
      return RunNaiveServer(options.listen, *options.setup.table);
    case Role::kNaiveClient:
      return RunNaiveClientRole(options.setup, options.naive_client);
  }
  return absl::InternalError("no role");
}

int Main(int argc, char** argv) {
  const std::variant<Options, int> options = ParseOptions(argc, argv);
  if (const int* exit_code = std::get_if<int>(&options)) return *exit_code;
  const absl::Status status = Run(std::get<Options>(options));
  if (status.ok()) return 0;
  absl::FPrintF(stderr, "parity_transport_bench: %s\n", status.message());
  const bool is_usage = absl::IsInvalidArgument(status) || absl::IsNotFound(status);
  return is_usage ? 2 : 1;
}

}  // namespace
}  // namespace parity::bench

int main(int argc, char** argv) { return parity::bench::Main(argc, argv); }
