// The half-load scenario: latency where the server is neither idle nor full.
#include <utility>
#include <vector>

#include "grpc_load.h"
#include "measurement.h"
#include "placement.h"
#include "report.h"
#include "scenarios.h"
#include "stream_load.h"

namespace parity::bench {
namespace {

constexpr size_t kShardBytes = 4096;
constexpr double kShareOfCapacity = 0.5;

// More than half load ever has outstanding, unless the server falls behind: then latencies tell.
constexpr int kOpenLoopDepth = 4096;

}  // namespace

absl::StatusOr<Figures> RunHalfLoad(const Setup& setup) {
  const absl::StatusOr<std::unique_ptr<ServerProcess>> server =
      StartSubject(setup, "subject", {"--workers=1"});
  if (!server.ok()) return server.status();
  // The load keeps looking at the clock: on the worker's core it would hold the worker up for a
  // time slice now and then.
  if (absl::Status status = LeaveFirstWorkersCore(); !status.ok()) return status;
  const endpoint::Endpoint& endpoint = (*server)->endpoint(Transport::kUnix);
  const absl::StatusOr<Workload> workload = MakeWorkload(setup, kShardBytes);
  if (!workload.ok()) return workload.status();
  const absl::Duration duration = setup.duration * setup.rounds;

  absl::StatusOr<std::vector<std::unique_ptr<Load>>> closed =
      OpenGrpcLoads(endpoint, Mode::kStream, *workload, 1, DepthOf(setup, workload->job));
  if (!closed.ok()) return closed.status();
  const absl::StatusOr<Measurement> full = Measure(*std::move(closed), (*server)->pid(), duration);
  if (!full.ok()) return full.status();
  const double offered = full->requests_per_s * kShareOfCapacity;
  absl::StatusOr<std::unique_ptr<Load>> open =
      OpenStreamLoad(endpoint, *workload, {kOpenLoopDepth, offered, 0, 1});
  if (!open.ok()) return open.status();
  std::vector<std::unique_ptr<Load>> loads;
  loads.push_back(*std::move(open));
  const absl::StatusOr<Measurement> half = Measure(std::move(loads), (*server)->pid(), duration);
  if (!half.ok()) return half.status();

  PrintRuns(stderr, **server);
  Figures figures;
  figures.Add("scenario", "halfload");
  figures.Add("capacity_stripes_per_s", full->requests_per_s);
  figures.Add("offered_stripes_per_s", offered);
  figures.Add("answered_stripes_per_s", half->requests_per_s);
  figures.Add("p50_us", half->latencies.QuantileUs(0.5));
  figures.Add("p99_us", half->latencies.QuantileUs(0.99));
  figures.Add("p50_at_capacity_us", full->latencies.QuantileUs(0.5));
  figures.Add("p99_at_capacity_us", full->latencies.QuantileUs(0.99));
  return figures;
}

}  // namespace parity::bench
