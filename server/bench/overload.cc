// The overload scenario: what is left of the rate, and of the memory, under ten times the load.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "load_group.h"
#include "measurement.h"
#include "process_usage.h"
#include "report.h"
#include "scenarios.h"
#include "unary_load.h"

namespace parity::bench {
namespace {

constexpr size_t kShardBytes = 256 << 10;
constexpr int kConnections = 4;
constexpr int kDepth = 4;

// Ten times that.
constexpr int kOverloadConnections = 8;
constexpr int kOverloadDepth = 20;
static_assert(kOverloadConnections * kOverloadDepth == 10 * kConnections * kDepth);

// Recovered: this much of the capacity in a step.
constexpr double kRecovered = 0.9;
constexpr absl::Duration kStep = absl::Milliseconds(50);
constexpr absl::Duration kPatience = absl::Seconds(10);

constexpr char kMaxHeldOption[] = "--max-held";

absl::StatusOr<std::vector<std::unique_ptr<Load>>> Open(const ServerProcess& server,
                                                        const Workload& workload, int connections,
                                                        int depth) {
  std::vector<std::unique_ptr<Load>> loads;
  const auto parts = static_cast<size_t>(connections);
  for (size_t part = 0; part < parts; ++part) {
    absl::StatusOr<std::unique_ptr<Load>> load =
        OpenUnaryLoad(server.endpoint(Transport::kUnix), workload, {depth, true, part, parts});
    if (!load.ok()) return load.status();
    loads.push_back(*std::move(load));
  }
  return loads;
}

struct Recovery {
  double seconds = 0;
  bool complete = false;
};

// How long after now adequate load gets most of the capacity. A step's share is a sample of few
// hundred requests, so one step suffices.
absl::StatusOr<Recovery> Recover(const ServerProcess& server, const Workload& workload,
                                 double capacity) {
  const absl::Time begin = absl::Now();
  absl::StatusOr<std::vector<std::unique_ptr<Load>>> loads =
      Open(server, workload, kConnections, kDepth);
  if (!loads.ok()) return loads.status();
  LoadGroup group(*std::move(loads));
  Recovery recovery;
  while (!recovery.complete && absl::Now() - begin < kPatience) {
    const absl::StatusOr<Window> step = group.Watch(kStep);
    if (!step.ok()) return step.status();
    recovery.complete = step->answers_per_s() >= kRecovered * capacity;
    recovery.seconds = absl::ToDoubleSeconds(absl::Now() - begin);
  }
  if (absl::Status status = group.Stop(); !status.ok()) return status;
  return recovery;
}

}  // namespace

absl::StatusOr<Figures> RunOverload(const Setup& setup, uint64_t max_held_bytes) {
  const bool is_bounded = SubjectHas(setup, kMaxHeldOption);
  std::vector<std::string> arguments;
  if (is_bounded) arguments.push_back(absl::StrCat(kMaxHeldOption, "=", max_held_bytes));
  const absl::StatusOr<std::unique_ptr<ServerProcess>> server =
      StartSubject(setup, "subject", arguments);
  if (!server.ok()) return server.status();
  const pid_t pid = (*server)->pid();
  const absl::StatusOr<Workload> workload = MakeWorkload(setup, kShardBytes);
  if (!workload.ok()) return workload.status();

  const MemoryUse at_start = MemoryOf(pid);
  absl::StatusOr<std::vector<std::unique_ptr<Load>>> loads =
      Open(**server, *workload, kConnections, kDepth);
  if (!loads.ok()) return loads.status();
  const absl::StatusOr<Measurement> adequate =
      Measure(*std::move(loads), pid, std::min(setup.duration, absl::Seconds(5)));
  if (!adequate.ok()) return adequate.status();
  const MemoryUse before = MemoryOf(pid);

  loads = Open(**server, *workload, kOverloadConnections, kOverloadDepth);
  if (!loads.ok()) return loads.status();
  LoadGroup group(*std::move(loads));
  const absl::StatusOr<Window> overload = group.Watch(setup.duration);
  if (!overload.ok()) return overload.status();
  if (absl::Status status = group.Stop(); !status.ok()) return status;
  const absl::StatusOr<Recovery> recovery = Recover(**server, *workload, adequate->requests_per_s);
  if (!recovery.ok()) return recovery.status();
  const MemoryUse after = MemoryOf(pid);

  PrintRuns(stderr, **server);
  Figures figures;
  figures.Add("scenario", "overload");
  figures.Add("seconds", overload->seconds);
  figures.Add("max_held_bytes", is_bounded ? std::optional<double>(max_held_bytes) : std::nullopt);
  figures.Add("capacity_gbps", Gbps(adequate->requests_per_s, workload->job));
  figures.Add("goodput_gbps", Gbps(overload->answers_per_s(), workload->job));
  figures.Add("goodput_ratio", overload->answers_per_s() / adequate->requests_per_s);
  figures.Add("refused", static_cast<double>(overload->refused));
  figures.Add("failed", static_cast<double>(overload->failed));
  figures.Add("rss_at_start_bytes", static_cast<double>(at_start.resident_bytes));
  figures.Add("rss_before_bytes", static_cast<double>(before.resident_bytes));
  figures.Add("rss_after_bytes", static_cast<double>(after.resident_bytes));
  figures.Add("rss_peak_bytes", static_cast<double>(after.peak_bytes));
  figures.Add("recovery_s",
              recovery->complete ? std::optional<double>(recovery->seconds) : std::nullopt);
  if (overload->failed != 0) {
    figures.PrintText(stderr);
    return absl::UnavailableError(absl::StrCat(overload->failed, " calls failed under overload"));
  }
  return figures;
}

}  // namespace parity::bench
