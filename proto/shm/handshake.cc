#include "parity/shm/handshake.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace parity::shm {
namespace {

constexpr size_t kMaxDescriptors = 8;
constexpr int kMostWakes = 32;

// Room for the control message of some descriptors.
struct alignas(cmsghdr) Control {
  char bytes[CMSG_SPACE(kMaxDescriptors * sizeof(int))];
};

// The descriptors that came with a message, all of them, so that none is left open.
std::vector<endpoint::Descriptor> DescriptorsOf(msghdr& header) {
  std::vector<endpoint::Descriptor> descriptors;
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
      descriptors.emplace_back(fd);
    }
  }
  return descriptors;
}

}  // namespace

absl::Status Send(int socket, const void* message, size_t bytes,
                  absl::Span<const int> descriptors) {
  iovec part{const_cast<void*>(message), bytes};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  Control control{};
  if (!descriptors.empty()) {
    header.msg_control = control.bytes;
    header.msg_controllen = CMSG_SPACE(descriptors.size() * sizeof(int));
    cmsghdr* const rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size() * sizeof(int));
  }
  if (sendmsg(socket, &header, MSG_DONTWAIT | MSG_NOSIGNAL) == -1) {
    return absl::ErrnoToStatus(errno, "sendmsg");
  }
  return absl::OkStatus();
}

absl::Status Receive(int socket, void* message, size_t bytes,
                     std::vector<endpoint::Descriptor>* descriptors) {
  iovec part{message, bytes};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  Control control{};
  if (descriptors != nullptr) {
    header.msg_control = control.bytes;
    header.msg_controllen = sizeof control.bytes;
  }
  ssize_t got;
  do {
    got = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (got == -1 && errno == EINTR);
  if (got == -1) {
    if (errno == EAGAIN) return absl::ResourceExhaustedError("no message is there");
    return absl::ErrnoToStatus(errno, "recvmsg");
  }
  std::vector<endpoint::Descriptor> came = DescriptorsOf(header);
  if (got == 0) return absl::UnavailableError("the peer has closed the connection");
  if (static_cast<size_t>(got) != bytes || (header.msg_flags & MSG_TRUNC) != 0) {
    return absl::InvalidArgumentError(absl::StrCat("message: got ", got, " bytes, want ", bytes));
  }
  if (descriptors != nullptr) {
    if ((header.msg_flags & MSG_CTRUNC) != 0) {
      return absl::InvalidArgumentError("message: descriptors were lost");
    }
    *descriptors = std::move(came);
  }
  return absl::OkStatus();
}

void Wake(int socket) {
  const char byte = 0;
  send(socket, &byte, sizeof byte, MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool TakeWakes(int socket) {
  for (int i = 0; i < kMostWakes; ++i) {
    char byte;
    const ssize_t got = recv(socket, &byte, sizeof byte, MSG_DONTWAIT | MSG_TRUNC);
    if (got == -1) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
  }
  return true;
}

}  // namespace parity::shm
