#include "parity/endpoint/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace parity::endpoint {

void TuneSocket(int fd, bool is_unix) {
  if (!is_unix) {
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return;
  }
  constexpr int kSendBufferBytes = 1 << 20;
  // The first form needs a capability, the second is cut to the system's limit.
  if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &kSendBufferBytes, sizeof kSendBufferBytes) != 0) {
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kSendBufferBytes, sizeof kSendBufferBytes);
  }
}

}  // namespace parity::endpoint
