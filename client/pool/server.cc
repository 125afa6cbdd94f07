#include "server.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"

namespace parity::client {

absl::StatusOr<std::shared_ptr<Server>> Server::Make(const std::string& address,
                                                     const std::string& name,
                                                     const ClientOptions& options) {
  std::shared_ptr<Server> server(new Server(address));
  // One ring serves any number of threads.
  const bool is_shared = absl::StartsWith(address, "unix:") && options.connection.region_bytes > 0;
  ConnectionOptions how = options.connection;
  if (how.tls.is_on() && how.tls.server_name.empty()) how.tls.server_name = name;
  const int connections = is_shared ? 1 : options.connections;
  for (int i = 0; i < connections; ++i) {
    absl::StatusOr<std::unique_ptr<Connection>> connection =
        options.connect ? options.connect(address) : MakeConnection("targets", address, how);
    if (!connection.ok()) return connection.status();
    server->lines_.push_back(std::make_unique<Line>());
    server->lines_.back()->connection = *std::move(connection);
  }
  return server;
}

Server::Line& Server::LeastLoaded() {
  if (lines_.size() == 1) return *lines_.front();
  const size_t turn = turn_.fetch_add(1, std::memory_order_relaxed);
  Line* least = lines_.front().get();
  uint64_t least_bytes = UINT64_MAX;
  for (size_t i = 0; i < lines_.size(); ++i) {
    Line& line = *lines_[(turn + i) % lines_.size()];
    const uint64_t bytes = line.bytes_in_flight.load(std::memory_order_relaxed);
    if (bytes >= least_bytes) continue;
    least = &line;
    least_bytes = bytes;
  }
  return *least;
}

absl::Status Server::Run(const Request& request, const CallOptions& options) {
  const uint64_t bytes = BytesOf(request);
  Line& line = LeastLoaded();
  attempts_.fetch_add(1, std::memory_order_relaxed);
  line.bytes_in_flight.fetch_add(bytes, std::memory_order_relaxed);
  absl::Status status = line.connection->Run(request, options);
  line.bytes_in_flight.fetch_sub(bytes, std::memory_order_relaxed);
  return status;
}

absl::StatusOr<ServerInfo> Server::GetServerInfo(const CallOptions& options) {
  return LeastLoaded().connection->GetServerInfo(options);
}

absl::StatusOr<Buffer> Server::Allocate(size_t bytes, const CallOptions& options) {
  return lines_.front()->connection->Allocate(bytes, options);
}

uint64_t Server::MaxRequestBytes() {
  uint64_t most = UINT64_MAX;
  for (const auto& line : lines_) most = std::min(most, line->connection->MaxRequestBytes());
  return most;
}

absl::Time Server::Tick(absl::Time now) {
  absl::Time next = absl::InfiniteFuture();
  for (const auto& line : lines_) next = std::min(next, line->connection->Tick(now));
  return next;
}

uint64_t Server::bytes_in_flight() const {
  uint64_t bytes = 0;
  for (const auto& line : lines_) bytes += line->bytes_in_flight.load(std::memory_order_relaxed);
  return bytes;
}

}  // namespace parity::client
