// A listening socket.
#ifndef PARITY_LISTEN_LISTENER_H_
#define PARITY_LISTEN_LISTENER_H_

#include <sys/types.h>

#include <string>

#include "absl/status/statusor.h"
#include "parity/endpoint/descriptor.h"
#include "parity/endpoint/endpoint.h"
#include "parity/listen/peer_rule.h"

namespace parity::listen {

// What a Unix socket carries. TCP carries a stream.
enum class Carries { kStream, kPackets };

// Listening, non-blocking. Closing it removes a Unix socket's file.
class Listener {
 public:
  // A Unix socket is for its owner and group or, if `peers` names anybody, for whoever can reach
  // it: then who connects is to be checked. Its directory is created if missing (for the owner
  // alone, except that others may pass through). A lock beside the socket tells whether somebody
  // serves it: a socket left behind by a dead server is replaced, one in use is UNAVAILABLE.
  static absl::StatusOr<Listener> Open(const endpoint::Endpoint& endpoint,
                                       Carries carries = Carries::kStream,
                                       const PeerRule& peers = {});

  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&&) = delete;
  ~Listener();

  int fd() const { return socket_.get(); }
  const endpoint::Endpoint& endpoint() const { return endpoint_; }  // with the port taken

 private:
  Listener() = default;
  static absl::StatusOr<Listener> OpenUnix(const endpoint::Endpoint& endpoint, Carries carries,
                                           const PeerRule& peers);
  static absl::StatusOr<Listener> OpenTcp(const endpoint::Endpoint& endpoint);

  endpoint::Endpoint endpoint_;
  endpoint::Descriptor lock_;
  endpoint::Descriptor socket_;
  bool owns_path_ = false;  // of a socket file with this device and inode
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace parity::listen

#endif  // PARITY_LISTEN_LISTENER_H_
