// Parity for a program that must not go down: servers if they can be had, else this process.
//
// Key decision: what may be tried again is one slice of a stripe, which changes nothing at a
// server; so every failure of a server - refused, overloaded, frozen, killed, corrupting - ends in
// another attempt, or in the same kernels here, within the deadline of the call.
#ifndef PARITY_CLIENT_CLIENT_H_
#define PARITY_CLIENT_CLIENT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "parity/client/buffer.h"
#include "parity/client/coder.h"
#include "parity/client/connection.h"

namespace parity::client {

// Where parity is computed.
enum class Policy : uint8_t {
  kRemoteOnly,    // by a server, or not at all
  kPreferRemote,  // by a server; here when no server can
  kPreferLocal,   // here while fewer calls are computed than there are CPUs to use, else as above
  kFastest,       // wherever calls like this one took less time, as measured; here when none can
};

// "remote-only", "prefer-remote", "prefer-local", "fastest".
std::string_view NameOf(Policy policy);
// The inverse. INVALID_ARGUMENT naming "policy".
absl::StatusOr<Policy> PolicyFromName(std::string_view name);

struct ClientOptions {
  // Servers: HOST:PORT, [V6]:PORT, unix:PATH, or dns:///HOST:PORT for every address that the name
  // has, looked up again now and then. At most kMaxTargets.
  std::vector<std::string> targets;
  Policy policy = Policy::kPreferRemote;

  // The longest that one call may take.
  absl::Duration deadline = absl::Seconds(30);
  // The longest that one attempt at a server may take, so that a frozen one leaves time for another
  // or for local kernels. No attempt takes more than half of what its call has left if there is
  // anything else to be tried.
  absl::Duration attempt_timeout = absl::Seconds(5);
  // Attempts at servers for one slice, the first one counted. Further ones go to other servers if
  // there are any, and cost a token of the budget: a call to a server that succeeds earns
  // `retry_ratio` of one, and there are `retry_tokens` at most, and at first. So servers in trouble
  // get little more than one attempt a call.
  int max_attempts = 8;
  double retry_ratio = 0.1;
  int retry_tokens = 100;
  // Between attempts if there is no other server to try: doubling, with jitter. A server that is
  // overloaded says itself when to come back.
  absl::Duration first_backoff = absl::Milliseconds(20);
  absl::Duration longest_backoff = absl::Seconds(1);
  // To reconstruct and to verify over TCP: if there is no answer after so long, another server is
  // asked as well, and the first answer counts. It costs a token, too. Zero: never.
  absl::Duration hedge_after = absl::ZeroDuration();

  // TCP connections to every server: one is served by one of its workers. At most kMaxConnections.
  int connections = 1;
  // How often the names of targets are looked up. Sooner when a server fails, but not more than
  // once a second.
  absl::Duration resolve_interval = absl::Seconds(30);

  // A stripe is sent in slices of about so many bytes, all shards counted, `slices_in_flight` of
  // them at once, each tried again by itself. A server's own limit, if smaller, holds.
  uint64_t slice_bytes = uint64_t{8} << 20;
  int slices_in_flight = 2;

  // Of this process: see MakeLocalCoder.
  std::string kernels = "auto";
  ConnectionOptions connection;

  // Makes connections; a test puts its own here (fake_connection.h). Unset: MakeConnection.
  std::function<absl::StatusOr<std::unique_ptr<Connection>>(const std::string& address)> connect =
      nullptr;
  // Told when servers fail and come back, and when calls are computed here instead: a line, once
  // for a change, not once for a call. By the thread of a call; it must not call the client. Unset:
  // lines to standard error.
  std::function<void(const std::string& line)> log = nullptr;
};

// Counted since the client was made.
struct ClientStats {
  struct Server {
    std::string address;
    uint64_t attempts;
    uint64_t failures;  // of those: the server's or the network's fault
    uint64_t bytes_in_flight;
    bool usable;  // not given up for the moment
  };
  uint64_t calls = 0;
  uint64_t failed_calls = 0;
  uint64_t remote_slices = 0;    // that a server computed
  uint64_t local_slices = 0;     // that were computed here by choice
  uint64_t fallback_slices = 0;  // that were computed here because no server could
  uint64_t retries = 0;
  uint64_t retries_refused = 0;  // for want of budget
  uint64_t pushbacks = 0;        // answers that asked to come back later
  uint64_t hedges = 0;           // second servers asked
  uint64_t hedges_won = 0;       // that answered first
  uint64_t damaged_shards = 0;   // caught by a checksum on the way
  std::vector<Server> servers;
};

// Thread-safe. It has a thread of its own, which looks up names and answers pings, unless there are
// no targets, and others while slices go in parallel.
//
// Errors of a call, besides those of Coder: DEADLINE_EXCEEDED, CANCELLED and, if the policy is
// kRemoteOnly or the fault is not one that another attempt could cure, what the last server said.
// Each call ends by its deadline, or shortly after it if its peer does not read.
//
// A shard that was damaged on the way is sent once more, elsewhere if there are other servers; the
// log says which shard, and on which side.
//
// After fork() only the parent may use it: in the child every call is FAILED_PRECONDITION, and the
// destructor leaves all as it is.
class Client : public Coder {
 public:
  static constexpr size_t kMaxTargets = 64;
  static constexpr int kMaxConnections = 64;

  // Connects on first use. INVALID_ARGUMENT naming the option.
  static absl::StatusOr<std::unique_ptr<Client>> Make(ClientOptions options);

  // Memory for shards, at a page, its contents unspecified: shared with the server if there is one
  // target, a Unix socket, that shares any and has room; else ordinary. See MakeConnection.
  virtual absl::StatusOr<Buffer> Allocate(size_t bytes) = 0;

  // Of whichever server answers first.
  virtual absl::StatusOr<ServerInfo> GetServerInfo(const CallOptions& options = {}) = 0;

  virtual ClientStats GetStats() const = 0;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_CLIENT_H_
