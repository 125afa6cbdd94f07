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

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "options.h"
#include "parity/endpoint/endpoint.h"
#include "parity/engine/plan_drawing.h"
#include "parity/log/log.h"
#include "parity/rings/server.h"
#include "parity/rpc/server.h"
#include "parity/version/version.h"
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

int Run(const Options& options) {
  absl::StatusOr<rpc::ServerOptions> server_options = ServerOptionsFrom(options);
  if (!server_options.ok()) {
    spdlog::error(std::string(server_options.status().message()));
    return kUsageError;
  }
  if (!options.print_topology.empty()) {
    PrintTopology(options, *server_options);
    return EXIT_SUCCESS;
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
    if (!started.ok()) {
      spdlog::error(std::string(started.status().message()));
      return EXIT_FAILURE;
    }
    rings = *std::move(started);
    server_options->rings = rings;
    server_options->regions = rings->regions();
  }
  absl::StatusOr<std::unique_ptr<rpc::Server>> server = rpc::Server::Start(*server_options);
  if (!server.ok()) {
    spdlog::error(std::string(server.status().message()));
    return EXIT_FAILURE;
  }
  for (const endpoint::Endpoint& endpoint : (*server)->endpoints()) {
    spdlog::info("listening on {}", endpoint.ToString());
  }
  LogSharedMemory(rings.get());
  spdlog::info("ready");

  int signal = 0;
  sigwait(&signals, &signal);
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
  CLI::App app(
      "Serves parity of stripes (XOR, RAID-6, Reed-Solomon) over gRPC: encode, reconstruct, "
      "verify, update.",
      "parityd");
  app.set_version_flag("--version", parity::NameAndVersion());
  app.footer(
      "Logs to standard error, one line per event; 'ready' when it serves.\n"
      "Exit codes: 0 stopped by SIGTERM or SIGINT, 1 cannot serve, 2 usage.");
  parity::AddOptions(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? EXIT_SUCCESS : parity::kUsageError;
  }
  parity::log::Start(
      options.log_format == "json" ? parity::log::Format::kJson : parity::log::Format::kText,
      spdlog::level::from_str(options.log_level));
  return parity::Run(options);
}
