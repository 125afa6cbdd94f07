#include "coder_options.h"

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "parity/client/local_coder.h"
#include "parity/endpoint/endpoint.h"

namespace parity::cli {
namespace {

constexpr std::string_view kLocal = "local";

}  // namespace

void AddServerOptions(CLI::App& command, ServerOptions& options) {
  command
      .add_option("--server", options.address,
                  "The parityd to use: HOST:PORT, [V6]:PORT or unix:PATH. Default: the Unix\n"
                  "socket of this machine's parityd if there is one, else " +
                      endpoint::DefaultTcpEndpoint().ToString())
      ->type_name("ADDR");
  command
      .add_option("--timeout", options.timeout_seconds,
                  "The longest that one call to the server may take, in seconds")
      ->check(CLI::Validator(
          [](const std::string& text) {
            double seconds = 0;
            const bool in_range =
                absl::SimpleAtod(text, &seconds) && seconds > 0 && seconds <= 86400;
            return in_range
                       ? ""
                       : absl::StrCat("got ", text, ", want more than 0, at most 86400 seconds");
          },
          ""))
      ->type_name("SECONDS")
      ->capture_default_str();
}

void AddCoderOptions(CLI::App& command, CoderOptions& options) {
  AddServerOptions(command, options.server);
  CLI::Option* server = command.get_option("--server");
  server->description(server->get_description() + ".\nThe word local: none, this process computes");
  command
      .add_option("--kernels", options.kernels,
                  "With --server local, the kernels to compute with. Default: the best\n"
                  "that this CPU can run; a wrong name lists those it can")
      ->type_name("NAME");
}

absl::StatusOr<std::unique_ptr<client::Client>> MakeRemoteCoder(const ServerOptions& options) {
  client::ClientOptions remote;
  remote.deadline = absl::Seconds(options.timeout_seconds);
  if (options.address.empty()) {
    remote.targets = {endpoint::DefaultServer().ToString()};
  } else {
    const absl::StatusOr<endpoint::Endpoint> parsed = endpoint::Parse("--server", options.address);
    if (!parsed.ok()) return parsed.status();
    remote.targets = {parsed->ToString()};
  }
  remote.policy = client::Policy::kRemoteOnly;
  return client::Client::Make(std::move(remote));
}

absl::StatusOr<std::unique_ptr<client::Coder>> MakeCoder(const CoderOptions& options) {
  if (options.server.address == kLocal) {
    return client::MakeLocalCoder(options.kernels.empty() ? "auto" : options.kernels);
  }
  if (!options.kernels.empty()) {
    return absl::InvalidArgumentError(
        "--kernels: only with --server local: a server chooses its own kernels");
  }
  absl::StatusOr<std::unique_ptr<client::Client>> coder = MakeRemoteCoder(options.server);
  if (!coder.ok()) return coder.status();
  return *std::move(coder);
}

void AllocateFrom(client::Coder& coder, shardfile::RunOptions& run) {
  auto* const remote = dynamic_cast<client::Client*>(&coder);
  if (remote != nullptr) run.allocate = [remote](size_t bytes) { return remote->Allocate(bytes); };
}

}  // namespace parity::cli
