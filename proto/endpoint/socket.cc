#include "parity/endpoint/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstring>

namespace parity::endpoint {
namespace {

bool IsLoopback(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return (ntohl(v4.sin_addr.s_addr) >> 24) == 127;
  }
  const in6_addr& v6 = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127);
}

bool HaveSameAddress(const sockaddr_storage& one, const sockaddr_storage& other) {
  if (one.ss_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in&>(one).sin_addr.s_addr ==
           reinterpret_cast<const sockaddr_in&>(other).sin_addr.s_addr;
  }
  return std::memcmp(&reinterpret_cast<const sockaddr_in6&>(one).sin6_addr,
                     &reinterpret_cast<const sockaddr_in6&>(other).sin6_addr,
                     sizeof(in6_addr)) == 0;
}

// Whether both ends are on this machine, as far as their addresses show.
bool StaysOnThisMachine(int fd) {
  sockaddr_storage here{};
  sockaddr_storage there{};
  socklen_t here_bytes = sizeof here;
  socklen_t there_bytes = sizeof there;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&here), &here_bytes) != 0 ||
      getpeername(fd, reinterpret_cast<sockaddr*>(&there), &there_bytes) != 0 ||
      here.ss_family != there.ss_family ||
      (here.ss_family != AF_INET && here.ss_family != AF_INET6)) {
    return false;
  }
  return (IsLoopback(here) && IsLoopback(there)) || HaveSameAddress(here, there);
}

}  // namespace

void TuneSocket(int fd, bool is_unix) {
  if (!is_unix) {
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    constexpr char kCongestionControl[] = "cubic";
    if (StaysOnThisMachine(fd)) {
      setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, kCongestionControl,
                 sizeof kCongestionControl - 1);
    }
    return;
  }
  constexpr int kSendBufferBytes = 1 << 20;
  // The first form needs a capability, the second is cut to the system's limit.
  if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &kSendBufferBytes, sizeof kSendBufferBytes) != 0) {
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kSendBufferBytes, sizeof kSendBufferBytes);
  }
}

}  // namespace parity::endpoint
