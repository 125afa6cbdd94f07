// The idle scenario: what connections cost that do nothing.
#include <sys/resource.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "one_call.h"
#include "process_usage.h"
#include "scenarios.h"

namespace parity::bench {
namespace {

constexpr size_t kShardBytes = 4096;
constexpr absl::Duration kWatched = absl::Seconds(5);
constexpr absl::Duration kSettling = absl::Milliseconds(500);

// Descriptors besides two for each connection.
constexpr rlim_t kOtherDescriptors = 200;

// Lets this process and those that it starts have as many descriptors as the scenario needs.
absl::Status RaiseDescriptorLimit(int connections) {
  const rlim_t wanted = 2 * static_cast<rlim_t>(connections) + kOtherDescriptors;
  rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= wanted) return absl::OkStatus();
  if (limit.rlim_max < wanted) {
    return absl::InvalidArgumentError(
        absl::StrCat("--connections: got ", connections, ", which take ", wanted,
                     " descriptors; the system allows ", limit.rlim_max));
  }
  limit.rlim_cur = wanted;
  setrlimit(RLIMIT_NOFILE, &limit);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Figures> RunIdle(const Setup& setup) {
  absl::Status status = RaiseDescriptorLimit(setup.connections);
  if (!status.ok()) return status;
  const absl::StatusOr<std::unique_ptr<ServerProcess>> server = StartSubject(setup, "subject");
  if (!server.ok()) return server.status();
  const pid_t pid = (*server)->pid();
  const absl::StatusOr<Workload> workload = MakeWorkload(setup, kShardBytes);
  if (!workload.ok()) return workload.status();

  std::vector<std::shared_ptr<GrpcConnection>> connections;
  const auto open = [&](int count) {
    while (status.ok() && connections.size() < static_cast<size_t>(count)) {
      absl::StatusOr<std::shared_ptr<GrpcConnection>> connection =
          OpenAndCallOnce((*server)->endpoint(Transport::kUnix), *workload);
      status = connection.status();
      if (status.ok()) connections.push_back(*std::move(connection));
    }
    absl::SleepFor(kSettling);
  };
  // What the server has once it serves at all counts for no connection.
  const int first = std::min(setup.connections, 8);
  open(first);
  const MemoryUse before = MemoryOf(pid);
  open(setup.connections);
  if (!status.ok()) return status;
  const MemoryUse after = MemoryOf(pid);
  const double cpu_before = CpuSeconds(pid);
  const absl::Time begin = absl::Now();
  absl::SleepFor(kWatched);
  const double cpu_share =
      (CpuSeconds(pid) - cpu_before) / absl::ToDoubleSeconds(absl::Now() - begin);

  Figures figures;
  figures.Add("scenario", "idle");
  figures.Add("connections", setup.connections);
  figures.Add("rss_before_bytes", static_cast<double>(before.resident_bytes));
  figures.Add("rss_after_bytes", static_cast<double>(after.resident_bytes));
  const int counted = setup.connections - first;
  figures.Add("rss_per_connection_bytes",
              counted == 0 ? std::nullopt
                           : std::optional<double>((static_cast<double>(after.resident_bytes) -
                                                    static_cast<double>(before.resident_bytes)) /
                                                   counted));
  figures.Add("idle_cpu_percent", 100 * cpu_share);
  return figures;
}

}  // namespace parity::bench
