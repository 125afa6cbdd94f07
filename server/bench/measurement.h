// One round of one program on one row.
#ifndef PARITY_SERVER_BENCH_MEASUREMENT_H_
#define PARITY_SERVER_BENCH_MEASUREMENT_H_

#include <sys/types.h>

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "load.h"
#include "parity/timing/latency_histogram.h"

namespace parity::bench {

struct Measurement {
  double requests_per_s = 0;
  double server_cpu_s_per_request = 0;
  timing::LatencyHistogram latencies;
};

// 10^9 bytes of data shards a second.
double Gbps(double requests_per_s, const Job& job);

// Of rounds. REQUIRES: there is one.
double Median(std::vector<double> values);

// Runs the loads for `duration`, or for several times that if nothing was answered in one, after a
// shorter time to warm up; `server` is the process whose CPU
// time is taken.
absl::StatusOr<Measurement> Measure(std::vector<std::unique_ptr<Load>> loads, pid_t server,
                                    absl::Duration duration);

// How long Measure warms up: connections and caches settle within 0.2 s.
absl::Duration WarmUp(absl::Duration duration);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_MEASUREMENT_H_
