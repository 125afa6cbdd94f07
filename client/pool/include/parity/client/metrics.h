// What a client has counted, for the exporter of the program that has it.
#ifndef PARITY_CLIENT_METRICS_H_
#define PARITY_CLIENT_METRICS_H_

#include <string>

#include "parity/client/client.h"

namespace parity::client {

// Prometheus's text format, version 0.0.4: metrics parity_client_*, each with HELP and TYPE, those
// of a server with the label `server`. Deterministic; ends with a line feed. A program with several
// clients has to add labels of its own, as names may occur only once.
std::string ToPrometheus(const ClientStats& stats);

}  // namespace parity::client

#endif  // PARITY_CLIENT_METRICS_H_
