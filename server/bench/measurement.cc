#include "measurement.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "load_group.h"
#include "process_usage.h"

namespace parity::bench {

double Gbps(double requests_per_s, const Job& job) {
  return requests_per_s * static_cast<double>(job.source_bytes()) * 1e-9;
}

absl::Duration WarmUp(absl::Duration duration) {
  return std::clamp(duration / 2, absl::Milliseconds(50), absl::Milliseconds(200));
}

absl::StatusOr<Measurement> Measure(std::vector<std::unique_ptr<Load>> loads, pid_t server,
                                    absl::Duration duration) {
  LoadGroup group(std::move(loads));
  absl::StatusOr<Window> window = group.Watch(WarmUp(duration));
  if (!window.ok()) return window.status();
  const double cpu_before = CpuSeconds(server);
  window = group.Watch(duration, LoadGroup::Latencies::kRecorded);
  if (!window.ok()) return window.status();
  const double cpu_s = CpuSeconds(server) - cpu_before;
  absl::Status status = group.Stop();
  if (!status.ok()) return status;
  if (window->answers == 0) {
    return absl::DeadlineExceededError(
        absl::StrCat("no answer within ", absl::FormatDuration(duration), ": raise --seconds"));
  }
  Measurement measurement;
  measurement.requests_per_s = window->answers_per_s();
  measurement.server_cpu_s_per_request = cpu_s / static_cast<double>(window->answers);
  measurement.latencies = group.latencies();
  return measurement;
}

}  // namespace parity::bench
