// Where a command has parity computed: the options that say so, and the client they make.
//
// Key decision: every command has a client::Client, also one that asks no server, so nothing below
// knows the difference.
#ifndef PARITY_CLI_CODER_OPTIONS_H_
#define PARITY_CLI_CODER_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "parity/client/client.h"

namespace parity::cli {

struct ServerOptions {
  std::vector<std::string> addresses;  // none: endpoint::DefaultServer()
  double timeout_seconds = 30;         // for one call
  client::TlsOptions tls;
};

struct CoderOptions {
  ServerOptions server;
  std::string policy;  // client::NameOf one; empty: the default, which is of no account locally
  client::Policy default_policy = client::Policy::kPreferRemote;
  int connections = 1;  // to every server
  std::string kernels;  // empty: the best
};

// Adds --server, --timeout and --tls-*, for a command that asks a server.
void AddServerOptions(CLI::App& command, ServerOptions& options);
// Adds those, --policy, --connections and --kernels, for a command that computes.
void AddCoderOptions(CLI::App& command, CoderOptions& options);

// For questions about servers: nothing but a server can answer. INVALID_ARGUMENT, naming the
// option, if they make no sense.
absl::StatusOr<std::unique_ptr<client::Client>> MakeServerClient(const ServerOptions& options);
// For parity. That it is computed in this process because no server can is said on standard error,
// unless `is_quiet`. Errors as above.
absl::StatusOr<std::unique_ptr<client::Client>> MakeCoder(const CoderOptions& options,
                                                          bool is_quiet);

// The trace that the command is part of: $TRACEPARENT, or "" if it is none or malformed.
std::string Traceparent();

}  // namespace parity::cli

#endif  // PARITY_CLI_CODER_OPTIONS_H_
