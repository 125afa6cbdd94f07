// A Coder on a parityd server: over gRPC or, on the same host, by shared memory.
#ifndef PARITY_CLIENT_REMOTE_CODER_H_
#define PARITY_CLIENT_REMOTE_CODER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "parity/client/buffer.h"
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

  // Of the memory shared with the server, if the target is a Unix socket and the server shares any.
  // An eighth of it, 8 MiB at most, serves to copy shards that lie elsewhere; the rest is for
  // Allocate. If the server has no room for it, it is asked for an eighth. 0: none, everything goes
  // over the socket.
  uint64_t region_bytes = uint64_t{64} << 20;
  // How long a call looks for its answer in shared memory before it sleeps: waking it takes some 20
  // to 50 us. It costs that much of a CPU at most, and gives way to other threads meanwhile.
  absl::Duration spin = absl::Microseconds(50);
  // Told, once for a coder and by the thread of a call, if a server on a Unix socket answers but
  // shares no memory, and why. Unset: a line to standard error. It must not call the coder.
  std::function<void(const std::string&)> notice = nullptr;
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
  uint32_t max_stripes_per_message;
  uint64_t max_held_bytes;
  uint64_t max_connections;
  absl::Duration stall_timeout;
  absl::Duration max_connection_idle;
  absl::Duration max_connection_age;
  absl::Duration keepalive;
  absl::Duration min_ping_interval;
  // Of memory shared with clients on its host; 0: it shares none.
  uint32_t max_regions;
  uint64_t max_region_bytes;
  uint64_t max_regions_bytes;
  absl::Duration shm_spin;
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
//
// Over a Unix socket, stripes go through memory shared with the server if it shares any, which is
// asked for on first use. Shards that Allocate's memory holds are used where they lie, outputs if
// they begin on a page and have whole pages; others are copied. The message limit does not hold
// then. The parity of an Update is always copied, so that none is left half updated where it lies.
//
// A call by shared memory returns at its deadline, also if the server is frozen. What it left with
// the server might be computed later, so the memory is given up: the pages of outputs in it become
// this process's own, where they lie, and buffers from Allocate count as ordinary memory. The next
// call asks for new memory; if it is refused calls go over the socket, and a second later it is
// asked for again. A call whose shared memory is lost while it runs, because the server restarts,
// goes on over new memory or the socket, within its deadline.
//
// After fork() only the parent may use a coder; memory from Allocate stays one that both see.
class RemoteCoder : public Coder {
 public:
  // Does not connect yet. INVALID_ARGUMENT naming "target" if it is none of the forms above.
  static absl::StatusOr<std::unique_ptr<RemoteCoder>> Make(const RemoteOptions& options);

  // Memory for shards, at a page, its contents unspecified: shared with the server if there is such
  // memory and it has room, else ordinary. Shards in shared memory are not copied. Connects if need
  // be. RESOURCE_EXHAUSTED if there is none at all.
  virtual absl::StatusOr<Buffer> Allocate(size_t bytes) = 0;

  virtual absl::StatusOr<ServerInfo> GetServerInfo() = 0;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_REMOTE_CODER_H_
