// The gRPC server: parity.v1, grpc.health.v1 and reflection on one worker per core.
//
// Key decision: every worker is a gRPC server of its own with one completion queue and one pinned
// thread. An accept loop of ours gives each connection to the worker with the fewest, and from then
// on that worker alone reads it, computes and answers.
#ifndef PARITY_RPC_SERVER_H_
#define PARITY_RPC_SERVER_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "parity/endpoint/endpoint.h"
#include "parity/engine/worker_plan.h"
#include "parity/kernels/kernel_table.h"
#include "parity/listen/peer_rule.h"
#include "parity/region/region_table.h"
#include "parity/rings/server.h"
#include "parity/rpc/limits.h"
#include "parity/rpc/tls_files.h"
#include "parity/stats/snapshot.h"

namespace parity::rpc {

// Must be called before gRPC is used in this process, while it has one thread: chooses gRPC's
// polling engine and read sizes, sends its log to spdlog and tunes malloc for large messages.
void ConfigureProcess();

struct ServerOptions {
  // Where to listen; a TCP port of 0 takes any free one. A Unix socket's directory is created if it
  // is missing, and a socket that nobody serves is replaced.
  std::vector<endpoint::Endpoint> endpoints;
  engine::WorkerPlan plan;
  const kernels::KernelTable* table = nullptr;
  std::vector<std::string> usable_kernels;  // for GetServerInfo
  Limits limits;
  // TLS on every TCP address; Unix sockets have none. Without: TCP is not encrypted.
  std::optional<TlsFiles> tls;
  // Whether reflection is served, to everybody who can connect.
  bool reflection = true;
  // Who may connect to the Unix sockets, beyond what the modes of their files say.
  listen::PeerRule unix_peers;
  // What requests may name as the place of their shards; thread-safe, regions come and go
  // meanwhile. Null: none.
  std::shared_ptr<const region::RegionTable> regions;
  // Whose limits and work are reported with this server's. Null: nobody's.
  std::shared_ptr<const rings::Server> rings;
};

class Server {
 public:
  // Listening and serving when it returns. INVALID_ARGUMENT or UNAVAILABLE, naming the address, if
  // one cannot be listened on; INVALID_ARGUMENT naming a TLS file that cannot be used, or
  // a name that no client can have. Then nothing
  // is left behind.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options);

  virtual ~Server() = default;

  // The addresses, with the ports that were taken.
  virtual const std::vector<endpoint::Endpoint>& endpoints() const = 0;

  // What it has done and is doing; thread-safe, until the server is destroyed. With TLS it reads
  // the certificates' files. Cost: some 10 us.
  virtual stats::Snapshot snapshot() const = 0;

  // Reports NOT_SERVING from now on and goes on serving: load balancers and clients that ask for
  // its health look elsewhere before it stops. Thread-safe.
  virtual void AnnounceStop() = 0;

  // Accepts nothing more, reports NOT_SERVING, and returns when every accepted call is answered or,
  // for those that are not within `grace`, its connection is closed. Call it once, from any thread.
  virtual void Stop(absl::Duration grace) = 0;
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_SERVER_H_
