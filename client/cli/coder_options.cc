#include "coder_options.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "option_values.h"
#include "parity/endpoint/endpoint.h"
#include "terminal.h"

namespace parity::cli {
namespace {

constexpr std::string_view kLocal = "local";

constexpr client::Policy kPolicies[] = {client::Policy::kRemoteOnly, client::Policy::kPreferRemote,
                                        client::Policy::kPreferLocal, client::Policy::kFastest};

bool IsLocal(const ServerOptions& options) {
  return std::find(options.addresses.begin(), options.addresses.end(), kLocal) !=
         options.addresses.end();
}

client::ClientOptions ClientOptionsFor(const ServerOptions& options) {
  client::ClientOptions client;
  client.deadline = absl::Seconds(options.timeout_seconds);
  client.targets = options.addresses;
  client.connection.tls = options.tls;
  if (client.targets.empty()) client.targets = {endpoint::DefaultServer().ToString()};
  return client;
}

absl::StatusOr<std::unique_ptr<client::Client>> Make(client::ClientOptions options) {
  const std::vector<std::string> addresses = options.targets;
  absl::StatusOr<std::unique_ptr<client::Client>> client = client::Client::Make(std::move(options));
  if (client.ok()) return client;
  std::vector<OptionOfField> names = {
      {"targets", "--server"}, {"connections", "--connections"},         {"kernels", "--kernels"},
      {"tls_ca", "--tls-ca"},  {"tls_certificate", "--tls-certificate"}, {"tls_key", "--tls-key"}};
  for (size_t i = 0; i < addresses.size(); ++i) {
    names.push_back({absl::StrCat("targets[", i, "]"), "--server"});
  }
  return NameOption(client.status(), names);
}

}  // namespace

void AddServerOptions(CLI::App& command, ServerOptions& options) {
  command
      .add_option("--server", options.addresses,
                  "A parityd to use: HOST:PORT, [V6]:PORT, unix:PATH, or dns:///HOST:PORT for\n"
                  "every address of the name; may be given several times. Default: the Unix\n"
                  "socket of this machine's parityd if there is one, else " +
                      endpoint::DefaultTcpEndpoint().ToString())
      ->type_name("ADDR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      .add_option("--timeout", options.timeout_seconds,
                  "The longest that one call may take, in seconds")
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
  command
      .add_option("--tls-ca", options.tls.ca_file,
                  "Encrypt TCP connections, and trust servers with certificates of the\n"
                  "authorities in this PEM file")
      ->type_name("FILE");
  command
      .add_option("--tls-certificate", options.tls.certificate_file,
                  "Show servers this certificate; PEM, with its chain")
      ->type_name("FILE");
  command.add_option("--tls-key", options.tls.key_file, "The key of that certificate; PEM")
      ->type_name("FILE");
  command
      .add_option("--tls-server-name", options.tls.server_name,
                  "The name that a server's certificate must be for. Default: the host of\n"
                  "--server")
      ->type_name("NAME");
}

void AddCoderOptions(CLI::App& command, CoderOptions& options) {
  AddServerOptions(command, options.server);
  CLI::Option* server = command.get_option("--server");
  server->description(server->get_description() + ".\nThe word local: none, this process computes");
  std::vector<std::string> policies;
  for (const client::Policy policy : kPolicies) policies.emplace_back(client::NameOf(policy));
  AddChoice(
      command, "--policy", options.policy, policies,
      absl::StrCat("Where parity is computed: by a server or not at all; by a server, else by\n"
                   "this process; by this process while it has CPUs to spare; wherever it has\n"
                   "been faster. Default: ",
                   std::string(client::NameOf(options.default_policy))));
  command
      .add_option("--connections", options.connections,
                  absl::StrCat("TCP connections to every server, at most ",
                               client::Client::kMaxConnections))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--kernels", options.kernels,
                  "The kernels that this process computes with. Default: the best that this\n"
                  "CPU can run; a wrong name lists those it can")
      ->type_name("NAME");
}

std::string Traceparent() {
  const char* const text = std::getenv("TRACEPARENT");
  return text != nullptr && client::IsTraceparent(text) ? text : "";
}

absl::StatusOr<std::unique_ptr<client::Client>> MakeServerClient(const ServerOptions& options) {
  if (IsLocal(options)) return absl::InvalidArgumentError("--server: got local, want a server");
  client::ClientOptions client = ClientOptionsFor(options);
  client.policy = client::Policy::kRemoteOnly;
  client.log = [](const std::string&) {};  // the error says it
  return Make(std::move(client));
}

absl::StatusOr<std::unique_ptr<client::Client>> MakeCoder(const CoderOptions& options,
                                                          bool is_quiet) {
  client::ClientOptions client = ClientOptionsFor(options.server);
  const bool is_default = options.policy.empty();
  const absl::StatusOr<client::Policy> policy = !is_default ? client::PolicyFromName(options.policy)
                                                : IsLocal(options.server)
                                                    ? client::Policy::kPreferLocal
                                                    : options.default_policy;
  if (!policy.ok()) return NameOption(policy.status(), {{"policy", "--policy"}});
  client.policy = *policy;
  client.connections = options.connections;
  if (!options.kernels.empty()) client.kernels = options.kernels;
  if (IsLocal(options.server)) {
    if (client.targets.size() > 1) {
      return absl::InvalidArgumentError("--server: got local and a server, want one of them");
    }
    if (client.policy == client::Policy::kRemoteOnly) {
      return absl::InvalidArgumentError("--policy: got remote-only, but --server is local");
    }
    client.targets.clear();
  } else if (!options.kernels.empty() && client.policy == client::Policy::kRemoteOnly) {
    return absl::InvalidArgumentError(
        "--kernels: not with --policy remote-only: a server chooses its own kernels");
  }
  client.log = [is_quiet](const std::string& line) {
    // That and why is said in one line. Which of several servers fails and comes back is the
    // business of who operates them.
    if (!is_quiet && absl::StartsWith(line, "parity is computed in this process")) {
      PrintNotice(line);
    }
  };
  client.connection.notice = [is_quiet](const std::string& line) {
    if (!is_quiet) PrintNotice(line);
  };
  return Make(std::move(client));
}

}  // namespace parity::cli
