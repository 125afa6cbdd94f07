// A client and a server on bare sockets, which do only what a test tells them to.
#ifndef PARITY_TESTS_RPC_BARE_PEERS_H_
#define PARITY_TESTS_RPC_BARE_PEERS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

#include "parity/v1/parity.pb.h"

namespace parity::testing {

class BarePeer {
 public:
  // Connects to HOST:PORT on the loopback, with a small receive buffer, or to unix:PATH.
  explicit BarePeer(const std::string& address);
  // For HOST:PORT, with a socket that is made before: connecting takes no descriptor.
  BarePeer(int tcp_socket, const std::string& address);
  ~BarePeer();
  BarePeer(const BarePeer&) = delete;
  BarePeer& operator=(const BarePeer&) = delete;

  int fd() const { return fd_; }

  // A call of Encode in HTTP/2, with windows that would let any answer through. `timeout` is a
  // grpc-timeout, such as "1n".
  void SendEncode(const v1::EncodeRequest& request, const std::string& timeout = "");
  // The same of one that is cancelled at once: the server reads both together.
  void SendCancelledEncode(const v1::EncodeRequest& request);

  // Whether something arrives within `patience_ms`.
  bool HasBytes(int patience_ms);

  // Takes what there is, at most so much, without waiting; how much it was.
  size_t Take(size_t most);

  // Waits until so many bytes have arrived, without taking them.
  void AwaitBytes(size_t count);

  // Tells the server that nothing more will come.
  void CloseSending();

  // Reads until the server has closed the connection; how much there was.
  size_t ReadToEnd();

 private:
  std::string EncodeFrames(const v1::EncodeRequest& request, const std::string& timeout);

  const int fd_;
  uint32_t next_stream_ = 1;
};

// Listens on a free port. To whoever connects it grants windows for any request, and then reads
// none.
class BareServer {
 public:
  BareServer();
  ~BareServer();

  std::string address() const;

 private:
  const int listener_;
  int connection_ = -1;  // the thread's, until it has ended
  std::thread thread_;   // accepts one connection and grants it its windows
};

}  // namespace parity::testing

#endif  // PARITY_TESTS_RPC_BARE_PEERS_H_
