#include "send_queue.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstddef>
#include <utility>

#include "parity/endpoint/socket.h"

namespace parity::rpc {
namespace {

// 0 if the system does not tell: such a connection never counts as stalled.
uint64_t BytesWaiting(int fd) {
  int bytes = 0;
  return ioctl(fd, SIOCOUTQ, &bytes) == 0 && bytes > 0 ? static_cast<uint64_t>(bytes) : 0;
}

uint64_t BytesAcknowledged(int fd) {
  tcp_info info{};
  socklen_t bytes = sizeof info;
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0) return 0;
  return info.tcpi_bytes_acked;
}

bool HasRoom(int fd) {
  pollfd state = {fd, POLLOUT, 0};
  return poll(&state, 1, 0) > 0 && (state.revents & POLLOUT) != 0;
}

}  // namespace

bool SendQueue::Moves() {
  const uint64_t waited = std::exchange(waiting_, BytesWaiting(fd_));
  if (waiting_ == 0) return true;
  if (is_unix_) return waiting_ != waited;
  const uint64_t before = std::exchange(acknowledged_, BytesAcknowledged(fd_));
  return acknowledged_ != before || waited == 0;
}

bool SendQueue::Suspect() {
  if (!is_unix_) return false;
  first_event_ = HasRoom(fd_);
  if (first_event_) return true;
  // The kernel takes what is written until this is reached, in pieces of at most a quarter of it,
  // and doubles what it is given here.
  const int quarter = static_cast<int>(waiting_ / 4);
  narrowed_ = setsockopt(fd_, SOL_SOCKET, SO_SNDBUF, &quarter, sizeof quarter) == 0;
  return true;
}

bool SendQueue::Event() { return !std::exchange(first_event_, false); }

void SendQueue::Clear() {
  first_event_ = false;
  if (std::exchange(narrowed_, false)) endpoint::TuneSocket(fd_, is_unix_);
}

}  // namespace parity::rpc
