// The workers scenario: what a second worker adds.
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "grpc_load.h"
#include "measurement.h"
#include "report.h"
#include "scenarios.h"

namespace parity::bench {
namespace {

constexpr size_t kShardBytes = 256 << 10;
constexpr int kConnections = 2;

absl::StatusOr<Measurement> With(const Setup& setup, const Workload& workload, int workers) {
  const absl::StatusOr<std::unique_ptr<ServerProcess>> server =
      StartSubject(setup, absl::StrCat("subject-", workers), {absl::StrCat("--workers=", workers)});
  if (!server.ok()) return server.status();
  absl::StatusOr<std::vector<std::unique_ptr<Load>>> loads =
      OpenGrpcLoads((*server)->endpoint(Transport::kUnix), Mode::kStream, workload, kConnections,
                    DepthOf(setup, workload.job));
  if (!loads.ok()) return loads.status();
  absl::StatusOr<Measurement> measured =
      Measure(*std::move(loads), (*server)->pid(), setup.duration * setup.rounds);
  PrintRuns(stderr, **server);
  return measured;
}

}  // namespace

absl::StatusOr<Figures> RunWorkers(const Setup& setup) {
  const absl::StatusOr<Workload> workload = MakeWorkload(setup, kShardBytes);
  if (!workload.ok()) return workload.status();
  const absl::StatusOr<Measurement> one = With(setup, *workload, 1);
  if (!one.ok()) return one.status();
  const absl::StatusOr<Measurement> two = With(setup, *workload, 2);
  if (!two.ok()) return two.status();
  const auto cpu_s_per_gb = [&workload](const Measurement& measured) {
    return measured.server_cpu_s_per_request * 1e9 /
           static_cast<double>(workload->job.source_bytes());
  };

  Figures figures;
  figures.Add("scenario", "workers");
  figures.Add("gbps_1_worker", Gbps(one->requests_per_s, workload->job));
  figures.Add("gbps_2_workers", Gbps(two->requests_per_s, workload->job));
  figures.Add("ratio", two->requests_per_s / one->requests_per_s);
  figures.Add("server_cpu_s_per_gb_1_worker", cpu_s_per_gb(*one));
  figures.Add("server_cpu_s_per_gb_2_workers", cpu_s_per_gb(*two));
  figures.Add("work_per_cpu_s_ratio",
              one->server_cpu_s_per_request / two->server_cpu_s_per_request);
  return figures;
}

}  // namespace parity::bench
