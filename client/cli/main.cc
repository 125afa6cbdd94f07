// parityctl: protects files by parity, checks, repairs and restores them.

#include <malloc.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "commands.h"
#include "exit_code.h"
#include "interrupt.h"
#include "parity/version/version.h"

namespace parity::cli {
namespace {

// gRPC allocates a buffer for every read of a socket. On a 2-core Zen 4, giving them back to the
// system each time halved the rate of 64 KiB messages (2.5 instead of 4.7 GB/s).
void KeepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_TOP_PAD, 64 << 20);
}

int Fail(ExitCode code, absl::string_view message) {
  absl::FPrintF(stderr, "parityctl: %s\n", absl::StrReplaceAll(message, {{"\n", " "}}));
  return static_cast<int>(code);
}

int Run(const Command& command) {
  absl::StatusOr<ExitCode> result = command();
  if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && result.ok()) {
    result = absl::UnknownError("cannot write to standard output");
  }
  if (result.ok()) return static_cast<int>(*result);
  if (absl::IsCancelled(result.status()) && Interrupted()) {
    Fail(ExitCode::kFailed, absl::StrCat("interrupted by signal ", InterruptSignal()));
    return 128 + InterruptSignal();
  }
  return Fail(ExitCodeFor(result.status()), result.status().message());
}

int Main(int argc, char** argv) {
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
  AddDecode(app, command);
  AddInfo(app, command);
  AddKernels(app, command);
  AddBench(app, command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {  // of help or the version
    return app.exit(request);
  } catch (const CLI::Error& error) {
    return Fail(ExitCode::kUsage, absl::StrCat(error.what(), " (see parityctl --help)"));
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
  return parity::cli::Main(argc, argv);
}
