// parityd: parses the command line, starts the server, stops it on SIGTERM or SIGINT.
#include <pthread.h>
#include <signal.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "parity/endpoint/endpoint.h"
#include "parity/engine/plan_drawing.h"
#include "parity/engine/worker_plan.h"
#include "parity/kernels/dispatch.h"
#include "parity/rpc/server.h"
#include "parity/version/version.h"
#include "spdlog/sinks/stdout_sinks.h"
#include "spdlog/spdlog.h"

namespace parity {
namespace {

constexpr int kUsageError = 2;

// "parityd 0.1.0 (1a2b3c4d)"
std::string NameAndVersion() {
  return fmt::format("parityd {} ({})", version::Version(), version::Revision());
}

struct Options {
  std::vector<std::string> listen;
  std::optional<uint32_t> workers;
  std::string kernels = "auto";
  double grace_s = 10;
  std::string print_topology;  // the format, or empty: serve
};

void AddOptions(CLI::App& app, Options& options) {
  app.add_option(
         "--listen", options.listen,
         absl::StrCat("Address to listen on: HOST:PORT, [V6]:PORT or unix:PATH; repeatable. "
                      "Port 0 takes any free one. Default: ",
                      endpoint::DefaultTcpEndpoint().ToString(), " and ",
                      endpoint::DefaultUnixEndpoint().ToString()))
      ->type_name("ADDR");
  app.add_option("--workers", options.workers,
                 "Worker threads, each pinned to a core. Default: one per core that the cpuset and "
                 "the affinity allow, at most as many as the CPU quota keeps busy")
      ->type_name("N");
  app.add_option(
         "--kernels", options.kernels,
         absl::StrCat("Kernel table to use: auto, or one of those this CPU can run: ",
                      absl::StrJoin(kernels::UsableTables(kernels::ReadCpuRegisters()), " ",
                                    [](std::string* out, const kernels::KernelTable* table) {
                                      out->append(table->name);
                                    })))
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--grace", options.grace_s,
                 "Seconds that calls under way have to finish after SIGTERM or SIGINT; then their "
                 "connections are closed. Further signals change nothing")
      ->type_name("SECONDS")
      ->check(CLI::Validator(
          [](const std::string& text) {
            double seconds = 0;
            const bool in_range =
                absl::SimpleAtod(text, &seconds) && seconds >= 0 && seconds <= 3600;
            return in_range ? "" : absl::StrCat("grace: got ", text, ", want 0 to 3600 seconds");
          },
          ""))
      ->capture_default_str();
  app.add_flag("--print-topology{text}", options.print_topology,
               "Print which workers would run on which cores, with which memory and kernels, and "
               "why, and exit: --print-topology or --print-topology=json")
      ->check(CLI::IsMember({"text", "json"}));
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
  return server;
}

void PrintTopology(const Options& options, const rpc::ServerOptions& server) {
  const engine::KernelChoice kernels{options.kernels, std::string(server.table->name),
                                     server.usable_kernels};
  std::cout << (options.print_topology == "json" ? engine::PlanAsJson(server.plan, kernels)
                                                 : engine::DrawPlan(server.plan, kernels));
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
  rpc::ConfigureProcess();

  spdlog::info(NameAndVersion());
  spdlog::info("kernels: {}", server_options->table->name);
  spdlog::info("plan: {}", server_options->plan.ToString());
  absl::StatusOr<std::unique_ptr<rpc::Server>> server = rpc::Server::Start(*server_options);
  if (!server.ok()) {
    spdlog::error(std::string(server.status().message()));
    return EXIT_FAILURE;
  }
  for (const endpoint::Endpoint& endpoint : (*server)->endpoints()) {
    spdlog::info("listening on {}", endpoint.ToString());
  }
  spdlog::info("ready");

  int signal = 0;
  sigwait(&signals, &signal);
  spdlog::info("{}: finishing the calls under way", strsignal(signal));
  (*server)->Stop(absl::Seconds(options.grace_s));
  spdlog::info("stopped");
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace parity

int main(int argc, char** argv) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("parityd"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  spdlog::flush_on(spdlog::level::info);

  parity::Options options;
  CLI::App app(
      "Serves parity of stripes (XOR, RAID-6, Reed-Solomon) over gRPC: encode, reconstruct, "
      "verify.",
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
  return parity::Run(options);
}
