#include "server_process.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"

namespace parity::bench {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(10);
constexpr absl::Duration kPause = absl::Milliseconds(5);

// The TCP endpoint of the line that tells it. NOT_FOUND if there is no such line.
absl::StatusOr<endpoint::Endpoint> TcpEndpointIn(absl::string_view log) {
  constexpr absl::string_view kMark = "listening on ";
  for (absl::string_view line : absl::StrSplit(log, '\n')) {
    const size_t at = line.find(kMark);
    if (at == absl::string_view::npos) continue;
    absl::StatusOr<endpoint::Endpoint> found =
        endpoint::Parse("listen", std::string(line.substr(at + kMark.size())));
    if (found.ok() && !found->is_unix()) return found;
  }
  return absl::NotFoundError("no TCP port");
}

// Whether a line ends with "ready".
bool SaysReady(absl::string_view log) {
  return absl::StrContains(log, " ready\n") || absl::StrContains(log, "\nready\n");
}

}  // namespace

const char* NameOf(Transport transport) {
  switch (transport) {
    case Transport::kTcp:
      return "tcp";
    case Transport::kUnix:
      return "unix";
  }
  return "";
}

absl::StatusOr<std::unique_ptr<ServerProcess>> ServerProcess::Start(
    absl::string_view name, std::vector<std::string> arguments, const ScratchDirectory& scratch,
    bool stock_grpc) {
  auto server = std::make_unique<ServerProcess>();
  server->unix_.path = scratch.PathOf(absl::StrCat(name, ".sock"));
  arguments.push_back(absl::StrCat("--listen=", server->unix_.ToString()));
  arguments.push_back("--listen=127.0.0.1:0");
  absl::StatusOr<std::unique_ptr<ChildProcess>> child = ChildProcess::Start(
      {std::move(arguments), scratch.PathOf(absl::StrCat(name, ".log")), stock_grpc});
  if (!child.ok()) return child.status();
  server->child_ = *std::move(child);
  const absl::Time deadline = absl::Now() + kPatience;
  while (!SaysReady(server->child_->Output())) {
    if (server->child_->has_ended() || absl::Now() > deadline) {
      return absl::UnavailableError(
          absl::StrCat(name, " does not serve: ", server->child_->Output()));
    }
    absl::SleepFor(kPause);
  }
  absl::StatusOr<endpoint::Endpoint> tcp = TcpEndpointIn(server->child_->Output());
  if (!tcp.ok()) return tcp.status();
  server->tcp_ = *tcp;
  return server;
}

}  // namespace parity::bench
