// A Coder that sends stripes to a parityd server over gRPC.
#ifndef PARITY_CLIENT_REMOTE_CODER_H_
#define PARITY_CLIENT_REMOTE_CODER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "parity/client/coder.h"

namespace parity::client {

struct RemoteOptions {
  // HOST:PORT, [V6]:PORT or unix:PATH.
  std::string target;
  // The longest one call may take. A call also ends at once when no connection can be made.
  absl::Duration deadline = absl::Seconds(30);
  // After so long without a sign of life the server is pinged, also without calls, and the
  // connection given up if it does not answer within 20 s. Zero: never. parityd allows a ping every
  // 10 s by default (ServerInfo has it); one who pings more often is sent away. gRPC pings at most
  // once a second.
  absl::Duration keepalive = absl::Seconds(30);
};

// What a server says of itself.
struct ServerInfo {
  struct Worker {
    uint32_t cpu;   // the CPU it is pinned to
    uint32_t node;  // the NUMA node of that CPU
  };
  struct Node {
    uint32_t id;
    uint64_t memory_bytes;
    std::vector<uint32_t> cpus;  // those the server may use
  };
  std::string version;
  std::string revision;
  std::string kernels;                      // the table in use
  std::vector<std::string> usable_kernels;  // best first
  std::vector<Worker> workers;
  std::vector<Node> nodes;
  // Its limits, as parity.v1 describes them. Zero durations: never.
  uint64_t max_message_bytes;
  uint32_t max_shards;
  uint32_t max_calls_per_connection;
  uint32_t max_requests_per_stream;
  uint64_t max_held_bytes;
  uint64_t max_connections;
  absl::Duration stall_timeout;
  absl::Duration max_connection_idle;
  absl::Duration max_connection_age;
  absl::Duration keepalive;
  absl::Duration min_ping_interval;
  std::vector<std::string> addresses;
};

// A Coder on one server, over one connection that is made on first use and again whenever it broke.
// A call that is UNAVAILABLE on it is sent once more over a new one, within its deadline: a server
// that ends connections (by age, when idle, to restart behind one address) fails no call by that.
// A thread of its own answers pings between calls.
//
// A call that the server refuses because it is overloaded is made again when the server says, until
// the deadline.
//
// Calls fail with UNAVAILABLE if the server cannot be reached, DEADLINE_EXCEEDED,
// RESOURCE_EXHAUSTED with field "message" if the stripe is larger than the server's message limit
// (split it: any byte range of a stripe is a stripe), or what the server answered.
//
// A call returns when gRPC no longer refers to the caller's inputs. If the peer does not read, that
// takes until shortly after the deadline, and then costs the connection, with the other calls on
// it.
class RemoteCoder : public Coder {
 public:
  // Does not connect yet. INVALID_ARGUMENT naming "target" if it is none of the forms above.
  static absl::StatusOr<std::unique_ptr<RemoteCoder>> Make(const RemoteOptions& options);

  virtual absl::StatusOr<ServerInfo> GetServerInfo() = 0;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_REMOTE_CODER_H_
