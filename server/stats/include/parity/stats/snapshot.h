// What a server has done and is doing, as plain values.
//
// Key decision: those who count (server/rpc, server/rings) fill it in, those who show it
// (server/metrics, GetServerStats) read it, and neither knows the other. Everything that counts up
// does so from the start of the process.
#ifndef PARITY_STATS_SNAPSHOT_H_
#define PARITY_STATS_SNAPSHOT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace parity::stats {

// The same order as engine::Operation.
inline constexpr size_t kOperations = 4;
inline constexpr std::array<const char*, kOperations> kOperationNames = {"encode", "reconstruct",
                                                                         "verify", "update"};
// Codes of gRPC, by number: 0 is OK, 16 UNAUTHENTICATED.
inline constexpr size_t kCodes = 17;

// How shards came: in messages of gRPC, or by a ring in shared memory.
enum class Transport : uint8_t { kGrpc, kRing };

struct OperationCounts {
  std::array<uint64_t, kCodes> requests{};  // answered, by the code of the answer
  uint64_t stripes = 0;                     // of those answered with OK, as are the next two
  uint64_t source_bytes = 0;
  uint64_t computed_bytes = 0;
};

// Values in buckets: counts[i] are those up to bounds[i], and above bounds[i - 1]; counts has one
// more, for those above all bounds.
struct Distribution {
  std::vector<double> bounds;
  std::vector<uint64_t> counts;
  double sum = 0;
};

// Runs that the kernels got, of shards that lie the same way in memory.
struct Runs {
  std::string alignment;  // "aligned", "equal" or "mixed"
  Distribution bytes;     // their lengths
};

// One worker thread.
struct Worker {
  uint32_t id = 0;
  Transport transport = Transport::kGrpc;
  uint32_t cpu = 0;
  uint32_t node = 0;
  double busy_seconds = 0;    // not waiting for events
  uint64_t source_bytes = 0;  // of requests answered with OK
  uint64_t requests = 0;      // answered, whatever the code
  uint64_t connections = 0;   // now; of a ring worker: clients
};

// What one transport has done.
struct Service {
  Transport transport = Transport::kGrpc;
  std::array<OperationCounts, kOperations> operations;
  uint64_t refused_requests = 0;  // for want of memory or beyond a quota; they count by code too
  uint64_t dropped_requests = 0;  // whose caller did not wait any more
  // The next two of a sample, one request in 16.
  Distribution queue_seconds;    // from when a request was read to when its first slice began
  Distribution compute_seconds;  // from there to when its last slice was done
  Distribution batch_slices;     // slices in a batch
};

// Requests that were answered with OK, and with anything else.
inline uint64_t GoodRequests(const Service& service) {
  uint64_t requests = 0;
  for (const OperationCounts& counts : service.operations) requests += counts.requests[0];
  return requests;
}
inline uint64_t FailedRequests(const Service& service) {
  uint64_t requests = 0;
  for (const OperationCounts& counts : service.operations) {
    for (size_t code = 1; code < kCodes; ++code) requests += counts.requests[code];
  }
  return requests;
}

struct Certificate {
  std::string role;              // "server" or "client_ca"
  double not_after_seconds = 0;  // since 1970; the earliest of the file
};

struct Snapshot {
  std::string version;
  std::string revision;
  std::string kernels;
  std::vector<std::string> addresses;
  bool serving = false;  // what grpc.health.v1 says
  bool draining = false;
  double drain_started_seconds = 0;  // since 1970; 0: it does not drain
  uint64_t unanswered_calls = 0;     // accepted, now

  std::vector<Service> services;
  std::vector<Worker> workers;
  std::vector<Runs> runs;

  uint64_t held_bytes = 0;
  uint64_t held_bytes_limit = 0;
  uint64_t connections = 0;
  uint64_t connections_limit = 0;
  uint64_t accepted_connections = 0;
  uint64_t stalled_connections = 0;  // closed for not reading
  uint64_t refused_connections = 0;  // of peers that may not connect

  uint64_t regions = 0;
  uint64_t region_bytes = 0;
  uint64_t region_bytes_limit = 0;
  uint64_t refused_ring_clients = 0;
  uint64_t dropped_ring_clients = 0;

  std::vector<Certificate> certificates;
};

}  // namespace parity::stats

#endif  // PARITY_STATS_SNAPSHOT_H_
