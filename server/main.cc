// parityd: parses the command line, starts the server, stops it on SIGTERM or SIGINT.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "options.h"
#include "parity/config/settings.h"
#include "parity/endpoint/endpoint.h"
#include "parity/engine/plan_drawing.h"
#include "parity/log/log.h"
#include "parity/metrics/server.h"
#include "parity/rings/server.h"
#include "parity/rpc/server.h"
#include "parity/version/version.h"
#include "probe.h"
#include "service_manager.h"
#include "spdlog/spdlog.h"

namespace parity {
namespace {

constexpr int kUsageError = 2;

// "parityd 0.1.0 (1a2b3c4d)"
std::string NameAndVersion() {
  return fmt::format("parityd {} ({})", version::Version(), version::Revision());
}

// Descriptors 0 to 2 are taken, if by nothing else: a socket that became number 2 would get the
// log.
void ReserveStandardDescriptors() {
  int fd;
  do {
    fd = open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd > STDERR_FILENO) close(fd);
}

void PrintTopology(const Options& options, const rpc::ServerOptions& server) {
  const engine::KernelChoice kernels{options.kernels, std::string(server.table->name),
                                     server.usable_kernels};
  std::cout << (options.print_topology == "json" ? engine::PlanAsJson(server.plan, kernels)
                                                 : engine::DrawPlan(server.plan, kernels));
}

void LogSharedMemory(const rings::Server* rings) {
  if (rings == nullptr) {
    spdlog::info("shared memory: none");
    return;
  }
  const rings::Limits& limits = rings->limits();
  spdlog::info("shared memory: {} bytes for {} clients on the Unix sockets with .shm appended",
               limits.max_regions_bytes, limits.max_regions);
}

// The command line, bound to `options`, which must outlive it.
std::unique_ptr<CLI::App> MakeApp(Options& options) {
  auto app = std::make_unique<CLI::App>(
      "Serves parity of stripes (XOR, RAID-6, Reed-Solomon) over gRPC: encode, reconstruct, "
      "verify, update.",
      "parityd");
  app->set_version_flag("--version", NameAndVersion());
  app->footer(
      "Logs to standard error, one line per event; 'ready' when it serves.\n"
      "Exit codes: 0 stopped by SIGTERM or SIGINT, 1 cannot serve, 2 usage.");
  AddOptions(*app, options);
  return app;
}

// The command line, completed from the environment and the file that it or the environment names.
absl::StatusOr<config::Settings> CompleteArguments(int argc, char** argv) {
  config::Sources sources{"PARITYD_", {}, "config"};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    sources.environment.emplace_back(*variable);
  }
  Options tried;
  return config::Complete({argv + 1, argv + argc}, sources, [&tried] { return MakeApp(tried); });
}

int Fail(const absl::Status& status, int code) {
  spdlog::error(std::string(status.message()));
  return code;
}

int Run(const Options& options) {
  absl::StatusOr<rpc::ServerOptions> server_options = ServerOptionsFrom(options);
  if (!server_options.ok()) return Fail(server_options.status(), kUsageError);
  const absl::StatusOr<std::optional<endpoint::Endpoint>> metrics_address =
      MetricsAddressFrom(options);
  if (!metrics_address.ok()) return Fail(metrics_address.status(), kUsageError);
  if (!options.print_topology.empty()) {
    PrintTopology(options, *server_options);
    return EXIT_SUCCESS;
  }
  if (options.check_config) {
    if (server_options->tls.has_value()) {
      const absl::Status good = rpc::CheckTlsFiles(*server_options->tls);
      if (!good.ok()) return Fail(good, kUsageError);
    }
    std::cout << "the configuration is good\n";
    return EXIT_SUCCESS;
  }
  if (options.probe) {
    const absl::Status serving = Probe(*server_options);
    if (serving.ok()) return EXIT_SUCCESS;
    return Fail(serving, absl::IsInvalidArgument(serving) ? kUsageError : EXIT_FAILURE);
  }
  // Blocked before any thread exists, so that only this one ever sees the signals.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // a log that nobody reads any more must not end the server
  std::signal(SIGXFSZ, SIG_IGN);  // nor memory that would be longer than files may be
  rpc::ConfigureProcess();

  spdlog::info(NameAndVersion());
  spdlog::info("kernels: {}", server_options->table->name);
  spdlog::info("plan: {}", server_options->plan.ToString());
  std::shared_ptr<rings::Server> rings;
  if (const auto ring_options = RingOptionsFrom(options, *server_options)) {
    absl::StatusOr<std::unique_ptr<rings::Server>> started = rings::Server::Start(*ring_options);
    if (!started.ok()) return Fail(started.status(), EXIT_FAILURE);
    rings = *std::move(started);
    server_options->rings = rings;
    server_options->regions = rings->regions();
  }
  absl::StatusOr<std::unique_ptr<rpc::Server>> server = rpc::Server::Start(*server_options);
  if (!server.ok()) return Fail(server.status(), EXIT_FAILURE);
  for (const endpoint::Endpoint& endpoint : (*server)->endpoints()) {
    spdlog::info("listening on {}", endpoint.ToString());
  }
  LogSharedMemory(rings.get());
  std::unique_ptr<metrics::Server> metrics;  // after what it asks, which outlives it
  if (metrics_address->has_value()) {
    absl::StatusOr<std::unique_ptr<metrics::Server>> started = metrics::Server::Start(
        **metrics_address, [&server = **server] { return server.snapshot(); });
    if (!started.ok()) return Fail(started.status(), EXIT_FAILURE);
    metrics = *std::move(started);
    spdlog::info("metrics on http://{}/", metrics->address().ToString());
  }
  spdlog::info("ready");
  service_manager::TellServing();

  int signal = 0;
  sigwait(&signals, &signal);
  service_manager::TellStopping(absl::Seconds(options.drain_delay_s + options.grace_s));
  if (options.drain_delay_s > 0) {
    spdlog::info("{}: not ready from now on, serving for {} s more", strsignal(signal),
                 options.drain_delay_s);
    (*server)->AnnounceStop();
    const timespec delay = absl::ToTimespec(absl::Seconds(options.drain_delay_s));
    sigtimedwait(&signals, nullptr, &delay);
  }
  spdlog::info("{}: finishing the calls under way", strsignal(signal));
  // Shared memory first: a client that loses it can still have its answer over gRPC.
  const absl::Time deadline = absl::Now() + absl::Seconds(options.grace_s);
  if (rings != nullptr) rings->Stop(deadline - absl::Now());
  (*server)->Stop(deadline - absl::Now());
  spdlog::info("stopped");
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace parity

int main(int argc, char** argv) {
  parity::ReserveStandardDescriptors();
  parity::log::Start(parity::log::Format::kText, spdlog::level::info);

  parity::Options options;
  const std::unique_ptr<CLI::App> app = parity::MakeApp(options);
  try {
    app->parse(argc, argv);
    absl::StatusOr<parity::config::Settings> settings = parity::CompleteArguments(argc, argv);
    if (!settings.ok()) return parity::Fail(settings.status(), parity::kUsageError);
    app->parse(std::vector<std::string>(settings->arguments.rbegin(), settings->arguments.rend()));
    if (options.print_config) {
      std::cout << "# Options of parityd, for --config FILE.\n\n"
                << parity::config::PrintedConfig(*app, settings->origins);
      return EXIT_SUCCESS;
    }
  } catch (const CLI::ParseError& error) {
    const int code = app->exit(error);
    return code == 0 ? EXIT_SUCCESS : parity::kUsageError;
  }
  parity::log::Start(
      options.log_format == "json" ? parity::log::Format::kJson : parity::log::Format::kText,
      spdlog::level::from_str(options.log_level));
  return parity::Run(options);
}
