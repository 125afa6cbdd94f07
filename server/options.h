// parityd's command line.
#ifndef PARITY_SERVER_OPTIONS_H_
#define PARITY_SERVER_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "parity/endpoint/endpoint.h"
#include "parity/listen/peer_rule.h"
#include "parity/rings/limits.h"
#include "parity/rings/server.h"
#include "parity/rpc/server.h"

namespace parity {

// As they are on the command line; times in seconds. The defaults of the limits are rpc::Limits'.
struct Options {
  Options();

  std::vector<std::string> listen;
  std::optional<uint32_t> workers;
  std::string kernels = "auto";
  double grace_s = 10;
  double drain_delay_s = 0;
  std::string metrics;         // address, or empty: none
  std::string print_topology;  // the format, or empty: serve

  std::string config;
  bool check_config = false;
  bool print_config = false;
  bool probe = false;

  rpc::Limits limits;  // of which the times are below
  double stall_timeout_s;
  double max_idle_s;
  double max_age_s;
  double keepalive_s;
  double min_ping_interval_s;

  rings::Limits ring_limits;  // of which the time is below, and the next is the total
  std::optional<uint64_t> max_regions_bytes;  // 0: no shared memory
  double shm_spin_us;

  listen::PeerRule unix_peers;

  std::string tls_certificate;
  std::string tls_key;
  std::string tls_client_ca;
  std::vector<std::string> tls_allow;
  std::string reflection = "auto";

  std::string log_format = "text";
  std::string log_level = "info";
};

// Adds every option to `app`, bound to `options`, which must outlive the parsing. Each value is
// checked for its range; the error names the option, what was got and what is wanted.
void AddOptions(CLI::App& app, Options& options);

// What the server is started with. INVALID_ARGUMENT naming the option for addresses, kernels and
// workers that do not exist here, and for options that contradict each other.
absl::StatusOr<rpc::ServerOptions> ServerOptionsFrom(const Options& options);

// Where metrics are to be had; unset if nowhere. INVALID_ARGUMENT naming "metrics".
absl::StatusOr<std::optional<endpoint::Endpoint>> MetricsAddressFrom(const Options& options);

// What the server for shared memory is started with; unset if there is to be none: it is turned
// off, or `server`, which is what the function above gave, listens on no Unix socket.
std::optional<rings::ServerOptions> RingOptionsFrom(const Options& options,
                                                    const rpc::ServerOptions& server);

}  // namespace parity

#endif  // PARITY_SERVER_OPTIONS_H_
