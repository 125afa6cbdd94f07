// A listening socket.
#ifndef PARITY_RPC_LISTENER_H_
#define PARITY_RPC_LISTENER_H_

#include <sys/types.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "parity/endpoint/endpoint.h"

namespace parity::rpc {

// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();

  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

// Listening, non-blocking. Closing it removes a Unix socket's file.
class Listener {
 public:
  // A Unix socket is for its owner and group; its directory is created if missing (for the owner
  // alone, except that others may pass through). A lock beside the socket tells whether somebody
  // serves it: a socket left behind by a dead server is replaced, one in use is UNAVAILABLE.
  static absl::StatusOr<Listener> Open(const endpoint::Endpoint& endpoint);

  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&&) = delete;
  ~Listener();

  int fd() const { return socket_.get(); }
  const endpoint::Endpoint& endpoint() const { return endpoint_; }  // with the port taken

 private:
  Listener() = default;
  static absl::StatusOr<Listener> OpenUnix(const endpoint::Endpoint& endpoint);
  static absl::StatusOr<Listener> OpenTcp(const endpoint::Endpoint& endpoint);

  endpoint::Endpoint endpoint_;
  Descriptor lock_;
  Descriptor socket_;
  bool owns_path_ = false;  // of a socket file with this device and inode
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_LISTENER_H_
