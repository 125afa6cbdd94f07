// A server's state as metrics.
#ifndef PARITY_METRICS_EXPOSITION_H_
#define PARITY_METRICS_EXPOSITION_H_

#include <string>

#include "parity/metrics/process_facts.h"
#include "parity/stats/snapshot.h"

namespace parity::metrics {

// In the text format 0.0.4 of Prometheus. Names begin with parityd_, but for the process_... that
// Prometheus has for every program. deploy/README.md has them all.
std::string Exposition(const stats::Snapshot& snapshot, const ProcessFacts& process);

// The same values as one JSON object, for the status page.
std::string StatusJson(const stats::Snapshot& snapshot, const ProcessFacts& process);

// "OK", "CANCELLED" ..., of gRPC's codes by number.
const char* CodeName(size_t code);
// "grpc" or "ring".
const char* TransportName(stats::Transport transport);

}  // namespace parity::metrics

#endif  // PARITY_METRICS_EXPOSITION_H_
