// The servers that are measured, each a process of its own.
#ifndef PARITY_SERVER_BENCH_SERVER_PROCESS_H_
#define PARITY_SERVER_BENCH_SERVER_PROCESS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "child_process.h"
#include "parity/endpoint/endpoint.h"
#include "scratch_directory.h"

namespace parity::bench {

enum class Transport { kTcp, kUnix };
inline constexpr Transport kTransports[] = {Transport::kTcp, Transport::kUnix};
const char* NameOf(Transport transport);

// Not thread-safe.
class ServerProcess {
 public:
  // Runs the command with "--listen=..." for a Unix socket and a free TCP port, and waits until it
  // says "ready". `name` is what its socket and its log are called. UNAVAILABLE, with what it has
  // printed, if it ends before that, or takes longer than 10 s.
  static absl::StatusOr<std::unique_ptr<ServerProcess>> Start(absl::string_view name,
                                                              std::vector<std::string> arguments,
                                                              const ScratchDirectory& scratch,
                                                              bool stock_grpc = false);

  const endpoint::Endpoint& endpoint(Transport transport) const {
    return transport == Transport::kUnix ? unix_ : tcp_;
  }
  pid_t pid() const { return child_->pid(); }

 private:
  std::unique_ptr<ChildProcess> child_;
  endpoint::Endpoint unix_;
  endpoint::Endpoint tcp_;
};

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_SERVER_PROCESS_H_
