// Serves clients on this host by shared memory.
//
// Key decision: rings have workers of their own, pinned beside those of gRPC, as a thread cannot
// wait well for both. They sleep unless there is something to do.
#ifndef PARITY_RINGS_SERVER_H_
#define PARITY_RINGS_SERVER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "parity/codec/run_counts.h"
#include "parity/engine/worker_plan.h"
#include "parity/kernels/kernel_table.h"
#include "parity/listen/peer_rule.h"
#include "parity/region/region_table.h"
#include "parity/rings/limits.h"
#include "parity/stats/snapshot.h"

namespace parity::rings {

struct ServerOptions {
  // Of the Unix sockets for gRPC: clients come to the one beside each, with shm::kPathSuffix.
  std::vector<std::string> paths;
  engine::WorkerPlan plan;
  const kernels::KernelTable* table = nullptr;
  Limits limits;
  listen::PeerRule peers;
};

// What was done since the start, and is now.
struct Stats {
  stats::Service service;
  std::vector<stats::Worker> workers;
  uint64_t regions = 0;       // open now
  uint64_t region_bytes = 0;  // of them, with what belongs to them
  uint64_t refused_clients = 0;
  uint64_t dropped_clients = 0;  // for what they put in their rings
};

class Server {
 public:
  // Serving when it returns. Errors as from listen::Listener, naming the address; INVALID_ARGUMENT
  // naming "listen" if a path is too long with the suffix.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options);

  // Stops at once if Stop was not called.
  virtual ~Server() = default;

  // Those of its clients. Thread-safe, as are the next ones.
  virtual std::shared_ptr<const region::RegionTable> regions() const = 0;
  virtual Stats GetStats() const = 0;
  // The runs that each worker's kernels got.
  virtual std::vector<const codec::RunCounts*> runs() const = 0;
  virtual const Limits& limits() const = 0;

  // Takes no more clients, serves what they have submitted until now, as far as that is done within
  // `grace`, and closes their connections.
  virtual void Stop(absl::Duration grace) = 0;
};

}  // namespace parity::rings

#endif  // PARITY_RINGS_SERVER_H_
