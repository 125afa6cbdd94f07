// One server of a pool: its connections, and what is under way at them.
#ifndef PARITY_CLIENT_SERVER_H_
#define PARITY_CLIENT_SERVER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "parity/client/client.h"
#include "parity/client/connection.h"

namespace parity::client {

// Thread-safe.
class Server {
 public:
  // Does not connect yet. `name`: of the target that stands for it, which its certificate is for if
  // the options name no other; empty: the address itself. INVALID_ARGUMENT naming "targets", or
  // what `options.connect` says.
  static absl::StatusOr<std::shared_ptr<Server>> Make(const std::string& address,
                                                      const std::string& name,
                                                      const ClientOptions& options);

  const std::string& address() const { return address_; }

  // One attempt, over the connection with the fewest bytes in flight.
  absl::Status Run(const Request& request, const CallOptions& options);
  absl::StatusOr<ServerInfo> GetServerInfo(const CallOptions& options);
  absl::StatusOr<Buffer> Allocate(size_t bytes, const CallOptions& options);
  uint64_t MaxRequestBytes();
  absl::Time Tick(absl::Time now);

  uint64_t bytes_in_flight() const;
  uint64_t attempts() const { return attempts_.load(std::memory_order_relaxed); }

 private:
  struct Line {
    std::unique_ptr<Connection> connection;
    std::atomic<uint64_t> bytes_in_flight{0};
  };

  explicit Server(const std::string& address) : address_(address) {}
  Line& LeastLoaded();

  const std::string address_;
  std::vector<std::unique_ptr<Line>> lines_;  // not empty
  std::atomic<size_t> turn_{0};
  std::atomic<uint64_t> attempts_{0};
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_SERVER_H_
