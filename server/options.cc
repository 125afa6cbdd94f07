#include "options.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "parity/codec/field_error.h"
#include "parity/endpoint/endpoint.h"
#include "parity/engine/memory_limit.h"
#include "parity/engine/worker_plan.h"
#include "parity/kernels/dispatch.h"

namespace parity {
namespace {

// gRPC counts milliseconds in 31 bits, which is 24 days.
constexpr double kLongestSeconds = 1'000'000;

// A check of a number of seconds from `least` to `most`; 0 also if `or_zero`.
CLI::Validator Seconds(double least, double most, bool or_zero = false) {
  return CLI::Validator(
      [=](const std::string& text) -> std::string {
        double seconds = 0;
        const bool in_range = absl::SimpleAtod(text, &seconds) &&
                              ((seconds >= least && seconds <= most) || (or_zero && seconds == 0));
        if (in_range) return "";
        return absl::StrCat("got ", text, ", want ", or_zero ? "0 (never) or " : "", least, " to ",
                            most, " seconds");
      },
      "");
}

CLI::Validator Count(uint64_t least, uint64_t most) {
  return CLI::Validator(
      [=](const std::string& text) -> std::string {
        uint64_t count = 0;
        if (absl::SimpleAtoi(text, &count) && count >= least && count <= most) return "";
        return absl::StrCat("got ", text, ", want ", least, " to ", most);
      },
      "");
}

// Turns a size with a unit, as in 64M, into bytes and checks it; 0 is good also if `or_zero`.
CLI::Validator Bytes(uint64_t least, uint64_t most, const std::string& range,
                     bool or_zero = false) {
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        const std::string got = text;
        uint64_t bytes = 0;
        bool in_range = false;
        try {
          in_range = CLI::AsSizeValue(false)(text).empty() && absl::SimpleAtoi(text, &bytes) &&
                     ((bytes >= least && bytes <= most) || (or_zero && bytes == 0));
        } catch (const std::exception&) {  // not a number, or one that overflows
        }
        if (in_range) return "";
        return absl::StrCat("got ", got, ", want ", range,
                            " (bytes; K, M and G are powers of 1024)");
      },
      "");
}

CLI::Validator OneOf(const std::vector<std::string>& words) {
  return CLI::Validator(
      [words](const std::string& text) -> std::string {
        if (std::find(words.begin(), words.end(), text) != words.end()) return "";
        return absl::StrCat("got ", text, ", want one of ", absl::StrJoin(words, " "));
      },
      "");
}

CLI::Validator Spin() {
  return CLI::Validator(
      [](const std::string& text) -> std::string {
        double microseconds = 0;
        if (absl::SimpleAtod(text, &microseconds) && microseconds >= 0 && microseconds <= 1000) {
          return "";
        }
        return absl::StrCat("got ", text, ", want 0 to 1000 microseconds");
      },
      "");
}

void AddLimits(CLI::App& app, Options& options) {
  rpc::Limits& limits = options.limits;
  app.add_option("--max-message", limits.max_message_bytes,
                 "The longest request or answer; larger stripes travel as slices")
      ->transform(Bytes(64 << 10, 1 << 30, "64K to 1G"))
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_option("--max-calls", limits.max_calls_per_connection,
                 "Calls under way on one connection; further ones wait at the client")
      ->check(Count(1, 65'536))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--max-requests-per-stream", limits.max_requests_per_stream,
                 "Unanswered requests of one Process stream; then the server stops reading it")
      ->check(Count(1, 65'536))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--max-held", limits.max_held_bytes,
                 "Bytes of requests and answers held at one time; what is beyond is refused with "
                 "RESOURCE_EXHAUSTED and a time to try again. Default: 1/5 of the memory that the "
                 "control group allows, or 1/16 of the machine's")
      ->transform(Bytes(1 << 20, uint64_t{1} << 50, "1M to 1048576G"))
      ->type_name("SIZE");
  app.add_option("--max-connections", limits.max_connections,
                 "Connections; others wait to be accepted. 0: as the limit of open files allows")
      ->check(Count(0, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
  app.add_option(
         "--stall-timeout", options.stall_timeout_s,
         "Seconds after which a connection is closed whose peer takes nothing of what waits "
         "for it. 0: never")
      ->check(Seconds(0.1, kLongestSeconds, true))
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option("--max-idle", options.max_idle_s,
                 "Seconds after which a connection without calls is closed. 0: never")
      ->check(Seconds(0.1, kLongestSeconds, true))
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option("--max-age", options.max_age_s,
                 "Seconds after which a connection is asked to end, so that clients find new "
                 "servers; it has as long again to finish its calls. 0: never")
      ->check(Seconds(0.1, kLongestSeconds, true))
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option("--keepalive", options.keepalive_s,
                 "Seconds without a sign of life after which a client is pinged; without an answer "
                 "within 20 s its connection is closed. 0: never")
      ->check(Seconds(1, kLongestSeconds, true))
      ->type_name("SECONDS")
      ->capture_default_str();
  // The client library pings every 30 s, and must never be sent away for that.
  app.add_option("--min-ping-interval", options.min_ping_interval_s,
                 "Seconds between two pings of a client; one that pings more often is sent away")
      ->check(Seconds(0, 20))
      ->type_name("SECONDS")
      ->capture_default_str();
}

void AddSharedMemory(CLI::App& app, Options& options) {
  rings::Limits& limits = options.ring_limits;
  app.add_option(
         "--max-shm", options.max_regions_bytes,
         "Memory shared with clients on this host, all together; a user may have as much as "
         "is still free. 0: none. It comes from the sockets beside the Unix sockets, with "
         "'.shm' appended. Default: 1/5 of the memory that the control group allows, or "
         "1/16 of the machine's")
      ->transform(Bytes(1 << 20, uint64_t{1} << 50, "0 (none) or 1M to 1048576G", true))
      ->type_name("SIZE");
  app.add_option("--max-region", limits.max_region_bytes,
                 "The longest memory shared with one client")
      ->transform(Bytes(4 << 10, uint64_t{1} << 40, "4K to 1024G"))
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_option("--max-regions", limits.max_regions, "Clients that memory is shared with")
      ->check(Count(1, 65'536))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--shm-spin", options.shm_spin_us,
                 "Microseconds for which a worker that has served shared memory looks for more "
                 "before it sleeps; to wake it takes 20 to 50. Costs so much of a CPU whenever "
                 "clients pause, and gives way to other threads. 0: it sleeps at once")
      ->check(Spin())
      ->type_name("MICROSECONDS")
      ->capture_default_str();
  app.add_option(
         "--allow-uid", options.unix_peers.users,
         "User who may connect to the Unix sockets, by number; repeatable. Without this and "
         "--allow-gid: owner and group of their files")
      ->type_name("N");
  app.add_option("--allow-gid", options.unix_peers.groups,
                 "Group whose members may connect to the Unix sockets, by number; repeatable")
      ->type_name("N");
}

void AddTls(CLI::App& app, Options& options) {
  app.add_option("--tls-certificate", options.tls_certificate,
                 "PEM file with the server's certificate and those that it is signed with: "
                 "encrypts every TCP connection. Read again when it changes, as are the next two")
      ->type_name("FILE");
  app.add_option("--tls-key", options.tls_key, "PEM file with the key of the certificate")
      ->type_name("FILE");
  app.add_option("--tls-client-ca", options.tls_client_ca,
                 "PEM file with the authorities whose certificates clients on TCP must show")
      ->type_name("FILE");
  app.add_option(
         "--tls-allow", options.tls_allow,
         "Subject alternative name that the certificate of a client must have one of: exact, "
         "*.DOMAIN for one label, or URI/* for a beginning; repeatable. Without: any")
      ->type_name("NAME");
  app.add_option("--reflection", options.reflection,
                 "Whether gRPC clients may ask which methods there are. auto: if every TCP address "
                 "is a loopback address")
      ->check(OneOf({"auto", "on", "off"}))
      ->option_text("auto|on|off [auto]");
}

void AddLog(CLI::App& app, Options& options) {
  app.add_option(
         "--log-format", options.log_format,
         "What a line of the log is: text, or json: an object with time, level, message and "
         "what else is known")
      ->check(OneOf({"text", "json"}))
      ->option_text("text|json [text]");
  app.add_option("--log-level", options.log_level, "The least that is logged")
      ->check(OneOf({"debug", "info", "warn", "error"}))
      ->option_text("debug|info|warn|error [info]");
}

absl::Status AddTlsFiles(const Options& options, rpc::ServerOptions& server) {
  if (options.tls_certificate.empty() && options.tls_key.empty() && options.tls_client_ca.empty() &&
      options.tls_allow.empty()) {
    return absl::OkStatus();
  }
  if (options.tls_certificate.empty()) {
    return codec::InvalidField("tls-certificate", "none", "a file, with --tls-key");
  }
  if (options.tls_key.empty()) {
    return codec::InvalidField("tls-key", "none", "a file, with --tls-certificate");
  }
  server.tls.emplace();
  server.tls->certificate_chain = options.tls_certificate;
  server.tls->private_key = options.tls_key;
  server.tls->client_ca = options.tls_client_ca;
  server.tls->allowed_clients = options.tls_allow;
  return absl::OkStatus();
}

// By what it is called, not by what a name resolves to.
bool IsLoopback(const endpoint::Endpoint& endpoint) {
  return endpoint.is_unix() || endpoint.host == "localhost" || endpoint.host == "::1" ||
         absl::StartsWith(endpoint.host, "127.");
}

absl::Status DecideReflection(const Options& options, rpc::ServerOptions& server) {
  if (options.reflection == "on" && !options.tls_allow.empty()) {
    return codec::InvalidField("reflection", "on",
                               "auto or off with --tls-allow, which it does not heed");
  }
  const bool local = std::all_of(server.endpoints.begin(), server.endpoints.end(), IsLoopback);
  server.reflection = options.reflection == "on" ||
                      (options.reflection == "auto" && local && options.tls_allow.empty());
  return absl::OkStatus();
}

}  // namespace

Options::Options()
    : stall_timeout_s(absl::ToDoubleSeconds(limits.stall_timeout)),
      max_idle_s(absl::ToDoubleSeconds(limits.max_connection_idle)),
      max_age_s(absl::ToDoubleSeconds(limits.max_connection_age)),
      keepalive_s(absl::ToDoubleSeconds(limits.keepalive)),
      min_ping_interval_s(absl::ToDoubleSeconds(limits.min_ping_interval)),
      shm_spin_us(absl::ToDoubleMicroseconds(ring_limits.spin)) {
  limits.max_held_bytes = 0;  // as the memory allows
}

void AddOptions(CLI::App& app, Options& options) {
  app.add_option(
         "--listen", options.listen,
         absl::StrCat("Address to listen on: HOST:PORT, [V6]:PORT or unix:PATH; repeatable. "
                      "Port 0 takes any free one. Default: ",
                      endpoint::DefaultTcpEndpoint().ToString(),
                      " and parityd.sock in $XDG_RUNTIME_DIR/parityd, else in /run/parityd for "
                      "root, else in /tmp/parityd-UID"))
      ->type_name("ADDR");
  app.add_option("--workers", options.workers,
                 "Worker threads, each pinned to a core. Default: one per core that the cpuset and "
                 "the affinity allow, at most as many as the CPU quota keeps busy")
      ->type_name("N");
  app.add_option("--kernels", options.kernels,
                 "Kernel table to use: auto, or one that this CPU can run; a wrong name lists them")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--grace", options.grace_s,
                 "Seconds that calls under way have to finish after SIGTERM or SIGINT; then their "
                 "connections are closed. Further signals change nothing")
      ->type_name("SECONDS")
      ->check(Seconds(0, 3600))
      ->capture_default_str();
  app.add_option(
         "--drain-delay", options.drain_delay_s,
         "Seconds for which it goes on serving after SIGTERM or SIGINT while its health says "
         "that it does not, so that load balancers look elsewhere; a further signal ends it")
      ->type_name("SECONDS")
      ->check(Seconds(0, 3600))
      ->capture_default_str();
  app.add_option("--metrics", options.metrics,
                 "Address for metrics, health and a status page over HTTP: HOST:PORT, IPv4 alone. "
                 "Not encrypted, for whoever can reach it. Default: none")
      ->type_name("ADDR");
  AddLimits(app, options);
  AddSharedMemory(app, options);
  AddTls(app, options);
  AddLog(app, options);
  app.add_flag("--print-topology{text}", options.print_topology,
               "Print which workers would run on which cores, with which memory and kernels, and "
               "why, and exit: --print-topology or --print-topology=json")
      ->configurable(false)
      ->check(OneOf({"text", "json"}));
  app.add_option(
         "--config", options.config,
         "File with options, lines `name = value` without the dashes. The command line goes "
         "before the environment (PARITYD_MAX_HELD for --max-held), which goes before it")
      ->configurable(false)
      ->type_name("FILE");
  app.add_flag("--check-config", options.check_config,
               "Check the options and the files that they name, and exit")
      ->configurable(false);
  app.add_flag("--print-config", options.print_config,
               "Print the options as a file for --config, with where each comes from, and exit")
      ->configurable(false);
  app.add_flag(
         "--probe", options.probe,
         "Ask the parityd that listens where the options say whether it serves, and exit: 0 if "
         "so. On the Unix socket if there is one")
      ->configurable(false);
}

absl::StatusOr<rpc::ServerOptions> ServerOptionsFrom(const Options& options) {
  rpc::ServerOptions server;
  for (const std::string& text : options.listen) {
    absl::StatusOr<endpoint::Endpoint> endpoint = endpoint::Parse("listen", text);
    if (!endpoint.ok()) return endpoint.status();
    server.endpoints.push_back(*endpoint);
  }
  if (server.endpoints.empty()) {
    server.endpoints = {endpoint::DefaultTcpEndpoint(), endpoint::DefaultUnixEndpoint()};
  }
  absl::StatusOr<const kernels::KernelTable*> table = kernels::SelectTable(options.kernels);
  if (!table.ok()) return table.status();
  server.table = *table;
  for (const kernels::KernelTable* usable : kernels::UsableTables(kernels::ReadCpuRegisters())) {
    server.usable_kernels.emplace_back(usable->name);
  }
  absl::StatusOr<engine::WorkerPlan> plan = engine::PlanWorkers(options.workers);
  if (!plan.ok()) return plan.status();
  server.plan = *std::move(plan);
  server.limits = options.limits;
  server.limits.stall_timeout = absl::Seconds(options.stall_timeout_s);
  server.limits.max_connection_idle = absl::Seconds(options.max_idle_s);
  server.limits.max_connection_age = absl::Seconds(options.max_age_s);
  server.limits.keepalive = absl::Seconds(options.keepalive_s);
  server.limits.min_ping_interval = absl::Seconds(options.min_ping_interval_s);
  if (server.limits.max_held_bytes == 0) {
    server.limits.max_held_bytes = engine::DefaultHeldBytes(engine::MemoryLimit());
    // With so little memory, shorter messages are the default too.
    if (server.limits.max_message_bytes == rpc::Limits().max_message_bytes) {
      server.limits.max_message_bytes =
          std::min(server.limits.max_message_bytes, server.limits.max_held_bytes);
    }
  }
  if (server.limits.max_held_bytes < server.limits.max_message_bytes) {
    return codec::InvalidField(
        "max-held", absl::StrCat(server.limits.max_held_bytes, " bytes"),
        absl::StrCat("at least --max-message (", server.limits.max_message_bytes, ")"));
  }
  server.unix_peers = options.unix_peers;
  if (absl::Status status = AddTlsFiles(options, server); !status.ok()) return status;
  if (absl::Status status = DecideReflection(options, server); !status.ok()) return status;
  return server;
}

absl::StatusOr<std::optional<endpoint::Endpoint>> MetricsAddressFrom(const Options& options) {
  if (options.metrics.empty()) return std::nullopt;
  absl::StatusOr<endpoint::Endpoint> address = endpoint::Parse("metrics", options.metrics);
  if (!address.ok()) return address.status();
  return *address;
}

std::optional<rings::ServerOptions> RingOptionsFrom(const Options& options,
                                                    const rpc::ServerOptions& server) {
  rings::ServerOptions rings;
  for (const endpoint::Endpoint& endpoint : server.endpoints) {
    if (endpoint.is_unix()) rings.paths.push_back(endpoint.path);
  }
  rings.limits = options.ring_limits;
  rings.limits.spin = absl::Microseconds(options.shm_spin_us);
  rings.limits.max_regions_bytes =
      options.max_regions_bytes.value_or(engine::DefaultHeldBytes(engine::MemoryLimit()));
  if (rings.paths.empty() || rings.limits.max_regions_bytes == 0) return std::nullopt;
  rings.plan = server.plan;
  rings.table = server.table;
  rings.peers = options.unix_peers;
  return rings;
}

}  // namespace parity
