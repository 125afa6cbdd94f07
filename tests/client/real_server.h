// A real server in this process, on a Unix socket, with and without shared memory.
#ifndef PARITY_TESTS_CLIENT_REAL_SERVER_H_
#define PARITY_TESTS_CLIENT_REAL_SERVER_H_

#include <memory>
#include <string>

#include "parity/rings/server.h"
#include "parity/rpc/server.h"

namespace parity::client {

class RealServer {
 public:
  struct Parts {
    bool grpc = true;
    bool rings = true;
  };

  RealServer() : RealServer(Parts()) {}
  explicit RealServer(Parts parts);
  ~RealServer();

  std::string path() const { return directory_ + "/parityd.sock"; }
  std::string target() const { return "unix:" + path(); }

  void StartRings();
  void StopRings();
  void StartGrpc();
  void StopGrpc();

  // Records of rings that were run with success.
  uint64_t records() const { return stats::GoodRequests(rings_->GetStats().service); }
  uint64_t regions() const { return rings_->GetStats().regions; }

 private:
  std::string directory_;
  std::unique_ptr<rings::Server> rings_;
  std::unique_ptr<rpc::Server> grpc_;
};

}  // namespace parity::client

#endif  // PARITY_TESTS_CLIENT_REAL_SERVER_H_
