// A real server in this process, on a free TCP port and a Unix socket.
#ifndef PARITY_TESTS_RPC_SERVER_FIXTURE_H_
#define PARITY_TESTS_RPC_SERVER_FIXTURE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grpcpp/channel.h"
#include "gtest/gtest.h"
#include "parity/client/coder.h"
#include "parity/listen/peer_rule.h"
#include "parity/region/region_table.h"
#include "parity/rpc/server.h"
#include "parity/v1/parity.grpc.pb.h"

namespace parity::testing {

class RunningServer {
 public:
  // The Unix socket is in `directory`, which is the caller's; by default in one of its own.
  explicit RunningServer(const std::string& directory = "");
  explicit RunningServer(const rpc::Limits& limits, const std::string& directory = "",
                         std::optional<rpc::TlsFiles> tls = std::nullopt,
                         std::shared_ptr<const region::RegionTable> regions = nullptr,
                         listen::PeerRule unix_peers = {}, bool reflection = true);
  ~RunningServer();

  std::string tcp() const;
  std::string unix_socket() const;
  std::shared_ptr<grpc::Channel> Connect() const;  // over TCP, any message size

  rpc::Server& server() { return *server_; }

  // Once; the destructor does it otherwise.
  void Stop(absl::Duration grace);

 private:
  std::string own_directory_;
  std::unique_ptr<rpc::Server> server_;
};

// What the server has counted.
v1::GetServerStatsResponse StatsOf(v1::ParityService::Stub& stub);

// Waits until the server holds no bytes of requests and answers any more.
void AwaitNothingHeld(v1::ParityService::Stub& stub);

// Deterministic bytes that differ between shards and positions.
std::vector<uint8_t> RandomBytes(size_t bytes, uint32_t seed);

// The field that google.rpc.BadRequest in the details names, or "".
std::string FieldIn(const grpc::Status& status);

}  // namespace parity::testing

#endif  // PARITY_TESTS_RPC_SERVER_FIXTURE_H_
