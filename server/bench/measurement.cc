#include "measurement.h"

#include <algorithm>
#include <utility>

#include "load_group.h"
#include "process_usage.h"

namespace parity::bench {

double Gbps(double requests_per_s, const Job& job) {
  return requests_per_s * static_cast<double>(job.source_bytes()) * 1e-9;
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
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
  Window total;
  do {
    window = group.Watch(duration, LoadGroup::Latencies::kRecorded);
    if (!window.ok()) return window.status();
    total.answers += window->answers;
    total.seconds += window->seconds;
  } while (total.answers == 0);  // ends: a load that gets no answer for long fails
  const double cpu_s = CpuSeconds(server) - cpu_before;
  if (absl::Status status = group.Stop(); !status.ok()) return status;
  Measurement measurement;
  measurement.requests_per_s = total.answers_per_s();
  measurement.server_cpu_s_per_request = cpu_s / static_cast<double>(total.answers);
  measurement.latencies = group.latencies();
  return measurement;
}

}  // namespace parity::bench
