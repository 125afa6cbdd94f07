// parityctl: protects files by parity, checks, repairs and restores them.

#include <malloc.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "commands.h"
#include "exit_code.h"
#include "interrupt.h"
#include "output.h"
#include "parity/version/version.h"
#include "terminal.h"

namespace parity::cli {
namespace {

// gRPC allocates a buffer for every read of a socket. On a 2-core Zen 4, giving them back to the
// system each time halved the rate of 64 KiB messages (2.5 instead of 4.7 GB/s).
void KeepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_TOP_PAD, 64 << 20);
}

class Program {
 public:
  Program(int argc, char** argv) : argc_(argc), argv_(argv), json_(WantsJson(argc, argv)) {}

  int Main() const;

 private:
  int Run(const Command& command) const;

  int Fail(ExitCode code, absl::string_view status, absl::string_view message) const {
    if (json_) PrintJson({{"error", ErrorAsJson(code, status, message)}});
    PrintNotice(message);
    return static_cast<int>(code);
  }

  const int argc_;
  char** const argv_;
  const bool json_;
};

int Program::Run(const Command& command) const {
  absl::StatusOr<ExitCode> result = command();
  if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && result.ok()) {
    result = absl::UnknownError("cannot write to standard output");
  }
  if (result.ok()) return static_cast<int>(*result);
  const absl::Status& error = result.status();
  if (absl::IsCancelled(error) && InterruptSignal() != 0) {
    if (json_) PrintJson({{"error", ErrorAsJson(error)}});
    return FailAsInterrupted();
  }
  return Fail(ExitCodeFor(error), absl::StatusCodeToString(error.code()), error.message());
}

int Program::Main() const {
  CLI::App app("Protects files by parity, checks, repairs and restores them.", "parityctl");
  app.footer(absl::StrCat(kExitCodesHelp, "\n\nparityctl COMMAND --help explains a command."));
  app.set_version_flag(
      "--version", absl::StrFormat("parityctl %s (%s)", version::Version(), version::Revision()),
      "Print the version and the revision it was built from");
  app.require_subcommand(1);
  Command command;
  AddEncode(app, command);
  AddVerify(app, command);
  AddRepair(app, command);
  AddUpdate(app, command);
  AddDecode(app, command);
  AddInfo(app, command);
  AddKernels(app, command);
  AddBench(app, command);
  AddCompletion(app, command);
  try {
    app.parse(argc_, argv_);
  } catch (const CLI::Success& request) {  // of help or the version
    return app.exit(request);
  } catch (const CLI::Error& error) {
    return Fail(ExitCode::kUsage, "INVALID_ARGUMENT",
                absl::StrCat(error.what(), " (see parityctl --help)"));
  }
  return Run(command);
}

}  // namespace
}  // namespace parity::cli

int main(int argc, char** argv) {
  parity::cli::KeepFreedMemory();
  // On in Debian's Abseil, which is a debug build: every lock of a mutex goes through a global
  // graph.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  parity::cli::HandleInterrupts();
  // A reader that goes away must not end a command that has files in the making.
  std::signal(SIGPIPE, SIG_IGN);
  return parity::cli::Program(argc, argv).Main();
}
