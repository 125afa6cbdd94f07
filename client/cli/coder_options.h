// Where a command has parity computed: the options that say so, and what they make.
#ifndef PARITY_CLI_CODER_OPTIONS_H_
#define PARITY_CLI_CODER_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "parity/client/coder.h"
#include "parity/client/client.h"
#include "parity/shardfile/run_options.h"

namespace parity::cli {

struct ServerOptions {
  std::string address;          // empty: endpoint::DefaultServer()
  double timeout_seconds = 30;  // for one call
};

struct CoderOptions {
  ServerOptions server;
  std::string kernels;  // empty: the best
};

// Adds --server and --timeout, for a command that asks a server.
void AddServerOptions(CLI::App& command, ServerOptions& options);
// Adds those and --kernels, for a command that computes.
void AddCoderOptions(CLI::App& command, CoderOptions& options);

// INVALID_ARGUMENT, naming the option, if they make no sense.
absl::StatusOr<std::unique_ptr<client::Client>> MakeRemoteCoder(const ServerOptions& options);
absl::StatusOr<std::unique_ptr<client::Coder>> MakeCoder(const CoderOptions& options);

// Lets the stripes of a run lie in memory that the coder's server shares, if it has a server. The
// coder must outlive the run.
void AllocateFrom(client::Coder& coder, shardfile::RunOptions& run);

}  // namespace parity::cli

#endif  // PARITY_CLI_CODER_OPTIONS_H_
