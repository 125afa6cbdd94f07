// Metrics, health and a status page over HTTP, on a port of their own.
#ifndef PARITY_METRICS_SERVER_H_
#define PARITY_METRICS_SERVER_H_

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "parity/endpoint/endpoint.h"
#include "parity/stats/snapshot.h"

namespace parity::metrics {

// Answers GET and HEAD of
//   /metrics      the text format of Prometheus
//   /healthz      200 while the process lives
//   /readyz       200 while it serves, 503 with the reason while it does not
//   /status.json  what the page shows
//   /             a page that draws the server, live
// on eight threads, for as many connections at a time, each for 5 s at most and one request; 20
// more wait. Not encrypted, and for whoever can reach it: it tells nothing but numbers and
// addresses.
class Server {
 public:
  // Serving when it returns. `snapshot` is called on its threads, until it is destroyed.
  // INVALID_ARGUMENT naming "metrics" for an address that is a Unix socket or of IPv6, or that
  // cannot be listened on. A port of 0 takes any free one.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const endpoint::Endpoint& address,
                                                       std::function<stats::Snapshot()> snapshot);
  // Ends its threads; waits for requests that are being answered.
  virtual ~Server() = default;

  // With the port that was taken.
  virtual const endpoint::Endpoint& address() const = 0;
};

}  // namespace parity::metrics

#endif  // PARITY_METRICS_SERVER_H_
