// The mixed scenario: what a small call waits behind large messages.
#include <utility>
#include <vector>

#include "grpc_load.h"
#include "load_group.h"
#include "measurement.h"
#include "report.h"
#include "scenarios.h"

namespace parity::bench {
namespace {

constexpr size_t kSmallShardBytes = 4096;
constexpr size_t kLargeShardBytes = 4 << 20;

struct Latency {
  double p50_us;
  double p99_us;
};

absl::StatusOr<Latency> SmallCalls(const Setup& setup, const ServerProcess& server,
                                   const Workload& workload) {
  absl::StatusOr<std::vector<std::unique_ptr<Load>>> load =
      OpenGrpcLoads(server.endpoint(Transport::kUnix), Mode::kUnary, workload, 1, 1);
  if (!load.ok()) return load.status();
  const absl::StatusOr<Measurement> measured =
      Measure(*std::move(load), server.pid(), setup.duration * setup.rounds);
  if (!measured.ok()) return measured.status();
  return Latency{measured->latencies.QuantileUs(0.5), measured->latencies.QuantileUs(0.99)};
}

}  // namespace

absl::StatusOr<Figures> RunMixed(const Setup& setup) {
  const absl::StatusOr<std::unique_ptr<ServerProcess>> server = StartSubject(setup, "subject");
  if (!server.ok()) return server.status();
  const endpoint::Endpoint& endpoint = (*server)->endpoint(Transport::kUnix);
  const absl::StatusOr<Workload> small = MakeWorkload(setup, kSmallShardBytes);
  if (!small.ok()) return small.status();
  const absl::StatusOr<Workload> large = MakeWorkload(setup, kLargeShardBytes);
  if (!large.ok()) return large.status();

  const absl::StatusOr<Latency> alone = SmallCalls(setup, **server, *small);
  if (!alone.ok()) return alone.status();
  absl::StatusOr<std::vector<std::unique_ptr<Load>>> load =
      OpenGrpcLoads(endpoint, Mode::kStream, *large, 1, DepthOf(setup, large->job));
  if (!load.ok()) return load.status();
  LoadGroup streaming(*std::move(load));
  absl::StatusOr<Window> window = streaming.Watch(WarmUp(setup.duration));
  if (!window.ok()) return window.status();
  const absl::StatusOr<Latency> beside = SmallCalls(setup, **server, *small);
  if (!beside.ok()) return beside.status();
  window = streaming.Watch(setup.duration);
  if (!window.ok()) return window.status();
  if (absl::Status status = streaming.Stop(); !status.ok()) return status;

  PrintRuns(stderr, **server);
  Figures figures;
  figures.Add("scenario", "mixed");
  figures.Add("p50_alone_us", alone->p50_us);
  figures.Add("p99_alone_us", alone->p99_us);
  figures.Add("p50_mixed_us", beside->p50_us);
  figures.Add("p99_mixed_us", beside->p99_us);
  figures.Add("p99_ratio", beside->p99_us / alone->p99_us);
  figures.Add("stream_gbps_without_small_calls", Gbps(window->answers_per_s(), large->job));
  return figures;
}

}  // namespace parity::bench
