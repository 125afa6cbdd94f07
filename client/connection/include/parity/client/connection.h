// One connection to a parityd: over gRPC or, on the same host, by shared memory.
//
// Key decision: a connection makes one attempt at what it is asked and says how that ended. What to
// do then - another server, another time, this process's own kernels - is a Client's to decide
// (client.h). So a program's tests can put a connection of their own under a Client, and
// fake_connection.h has one.
#ifndef PARITY_CLIENT_CONNECTION_H_
#define PARITY_CLIENT_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "parity/client/buffer.h"
#include "parity/client/coder.h"
#include "parity/client/tls_options.h"

namespace parity::client {

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

struct ConnectionOptions {
  // After so long without a sign of life the server is pinged, also without calls, and the
  // connection given up if it does not answer within 20 s. Zero: never. parityd allows a ping every
  // 10 s by default (ServerInfo has it); one who pings more often is sent away. gRPC pings at most
  // once a second.
  absl::Duration keepalive = absl::Seconds(30);

  // Of connections over TCP, if it has authorities.
  TlsOptions tls;

  // Stripes of so many bytes and more travel with the CRC32C of every shard, both ways: a bit that
  // flips on the way is DATA_LOSS, naming the shard, never a wrong parity. Through shared memory
  // nothing travels. UINT64_MAX: never.
  uint64_t checksum_from_bytes = 0;

  // Of the memory shared with the server, if it is on a Unix socket and shares any. An eighth of
  // it, 8 MiB at most, serves to copy shards that lie elsewhere; the rest is for Allocate. If the
  // server has no room for it, it is asked for an eighth. 0: none, everything goes over the socket.
  uint64_t region_bytes = uint64_t{64} << 20;
  // How long a call looks for its answer in shared memory before it sleeps: waking it takes some 20
  // to 50 us. It costs that much of a CPU at most, and gives way to other threads meanwhile.
  absl::Duration spin = absl::Microseconds(50);
  // Told, once for a connection and by the thread of a call, if a server on a Unix socket answers
  // but shares no memory, and why. Unset: a line to standard error. It must not call the
  // connection.
  std::function<void(const std::string&)> notice = nullptr;
};

// Run makes one attempt. Its errors, besides those of Coder:
//   UNAVAILABLE         the server could not be reached, has gone, or is going
//   DEADLINE_EXCEEDED, CANCELLED
//   RESOURCE_EXHAUSTED  with a delay (RetryDelayOf): the server is overloaded. With the field
//                       "message": the stripe is larger than the server takes in one message; any
//                       byte range of a stripe is a stripe
//   DATA_LOSS           a shard was damaged on the way; names it and says on which side
// and whatever else the server has answered.
//
// A call returns when nothing refers to the caller's inputs any more. If the peer does not read,
// that takes until shortly after the deadline, and then costs the connection, with the other calls
// on it.
//
// Thread-safe. After fork() only the parent may use it, and only the parent may destroy it.
class Connection : public Coder {
 public:
  virtual absl::StatusOr<ServerInfo> GetServerInfo(const CallOptions& options) = 0;

  // Memory for shards, at a page, its contents unspecified: shared with the server if there is such
  // memory and it has room, else ordinary. Shards in shared memory are not copied. Connects if need
  // be. RESOURCE_EXHAUSTED if there is none at all.
  virtual absl::StatusOr<Buffer> Allocate(size_t bytes, const CallOptions& options) = 0;

  // The most that BytesOf a request should be, as far as it is known: of a larger one, send slices.
  // The server's message limit is learnt from its first refusal. UINT64_MAX through shared memory.
  virtual uint64_t MaxRequestBytes() = 0;

  // Answers what has come while no call was under way: pings. To be called now and then by one
  // thread; returns when it wants to be called again. Cost: up to a millisecond, asleep.
  virtual absl::Time Tick(absl::Time now) = 0;
};

// How long the server asks to be left alone, if the error says so.
std::optional<absl::Duration> RetryDelayOf(const absl::Status& error);
// The error of a server that does.
absl::Status OverloadedError(absl::string_view message, absl::Duration retry_delay);

// A connection to HOST:PORT, [V6]:PORT or unix:PATH. It connects on first use, and again by the
// next call when it has broken. INVALID_ARGUMENT naming `field` if `address` is none of these,
// or "tls_ca", "tls_certificate" or "tls_key" if that file cannot be used.
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
// After fork(), memory from Allocate stays one that both processes see.
absl::StatusOr<std::unique_ptr<Connection>> MakeConnection(const std::string& field,
                                                           const std::string& address,
                                                           const ConnectionOptions& options);

}  // namespace parity::client

#endif  // PARITY_CLIENT_CONNECTION_H_
