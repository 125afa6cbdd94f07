// Who may use a Unix socket, beyond what the mode of its file says.
#ifndef PARITY_LISTEN_PEER_RULE_H_
#define PARITY_LISTEN_PEER_RULE_H_

#include <sys/types.h>

#include <vector>

#include "absl/status/status.h"

namespace parity::listen {

struct PeerRule {
  // Users and groups that may; both empty: whoever can open the socket. A peer is in a group if it
  // is its own or one of its supplementary ones when it connects.
  std::vector<uid_t> users;
  std::vector<gid_t> groups;

  bool names_any() const { return !users.empty() || !groups.empty(); }

  // PERMISSION_DENIED, naming the peer, if it may not. REQUIRES: `socket` is a connected Unix
  // socket.
  absl::Status Check(int socket) const;
};

}  // namespace parity::listen

#endif  // PARITY_LISTEN_PEER_RULE_H_
