#include "parity/listen/peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>

#include "absl/strings/str_cat.h"
#include "parity/endpoint/endpoint.h"

namespace parity::listen {

std::string PeerOf(int fd) {
  sockaddr_storage address{};
  socklen_t bytes = sizeof address;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &bytes) != 0) return "unknown";
  if (address.ss_family == AF_UNIX) {
    ucred peer{};
    bytes = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0) return "unknown";
    return absl::StrCat("pid ", peer.pid, " of uid ", peer.uid);
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  endpoint::Endpoint endpoint;
  if (address.ss_family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&address);
    inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size());
    endpoint.port = ntohs(v6->sin6_port);
  } else {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&address);
    inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size());
    endpoint.port = ntohs(v4->sin_port);
  }
  endpoint.host = text.data();
  return endpoint.ToString();
}

}  // namespace parity::listen
