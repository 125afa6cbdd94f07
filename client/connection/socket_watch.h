// Gets hold of the socket that gRPC makes for a channel.
//
// Key decision: TLS channels cannot be made of a socket in gRPC 1.51, but whoever has a duplicate
// of its descriptor can do all that is done to one: tune it, see that it is lost, and end it.
#ifndef PARITY_CLIENT_SOCKET_WATCH_H_
#define PARITY_CLIENT_SOCKET_WATCH_H_

#include <atomic>
#include <memory>

#include "grpcpp/support/channel_arguments.h"

namespace parity::client {

// Thread-safe.
class SocketWatch {
 public:
  SocketWatch() = default;
  ~SocketWatch();
  SocketWatch(const SocketWatch&) = delete;
  SocketWatch& operator=(const SocketWatch&) = delete;

  // A channel with these arguments has its socket watched. It gets no second one, so that it is one
  // connection, which does not come back.
  static void Attach(const std::shared_ptr<SocketWatch>& watch, grpc::ChannelArguments& arguments);

  // A duplicate, the caller's from now on; -1 if there is none yet.
  int Release() { return descriptor_.exchange(-1); }

  // For gRPC: whether it may use the socket.
  bool Take(int socket);

 private:
  std::atomic<bool> has_taken_{false};
  std::atomic<int> descriptor_{-1};
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_SOCKET_WATCH_H_
