#include "parity/listen/peer_rule.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"

namespace parity::listen {
namespace {

template <class Id>
bool Contains(const std::vector<Id>& ids, Id id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// The supplementary groups of the peer; none where the kernel (before 4.13) does not tell.
std::vector<gid_t> GroupsOf(int socket) {
  std::vector<gid_t> groups;
  socklen_t bytes = 0;
  while (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes) != 0) {
    if (errno != ERANGE || bytes <= groups.size() * sizeof(gid_t)) return {};
    groups.resize(bytes / sizeof(gid_t));
  }
  groups.resize(bytes / sizeof(gid_t));
  return groups;
}

}  // namespace

absl::Status PeerRule::Check(int socket) const {
  if (!names_any()) return absl::OkStatus();
  ucred peer{};
  socklen_t bytes = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0) {
    return absl::ErrnoToStatus(errno, "SO_PEERCRED");
  }
  if (Contains(users, peer.uid) || Contains(groups, peer.gid)) return absl::OkStatus();
  const std::vector<gid_t> further = GroupsOf(socket);
  if (std::any_of(further.begin(), further.end(),
                  [this](gid_t group) { return Contains(groups, group); })) {
    return absl::OkStatus();
  }
  return absl::PermissionDeniedError(absl::StrCat("peer: got uid ", peer.uid, " and gid ", peer.gid,
                                                  ", want one that the server allows"));
}

}  // namespace parity::listen
