#include "parity/listen/listener.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "spdlog/spdlog.h"

namespace parity::listen {
namespace {

using endpoint::Descriptor;

constexpr int kBacklog = 1024;

absl::Status Failed(const endpoint::Endpoint& endpoint, absl::string_view what) {
  return absl::ErrnoToStatus(errno, absl::StrCat("listen ", endpoint.ToString(), ": ", what));
}

// Creates the directory of `path` if it is missing.
absl::Status MakeDirectoryOf(const endpoint::Endpoint& endpoint) {
  const size_t slash = endpoint.path.rfind('/');
  if (slash == std::string::npos || slash == 0) return absl::OkStatus();
  const std::string directory = endpoint.path.substr(0, slash);
  if (mkdir(directory.c_str(), 0711) == 0) return absl::OkStatus();
  if (errno != EEXIST) return Failed(endpoint, absl::StrCat("creating ", directory));
  struct stat status;
  if (stat(directory.c_str(), &status) == 0 && status.st_uid != geteuid() && status.st_uid != 0) {
    spdlog::warn("{} belongs to another user, who can replace the socket", directory);
  }
  return absl::OkStatus();
}

}  // namespace

Listener::Listener(Listener&& other) noexcept
    : endpoint_(std::move(other.endpoint_)),
      lock_(std::move(other.lock_)),
      socket_(std::move(other.socket_)),
      owns_path_(std::exchange(other.owns_path_, false)),
      device_(other.device_),
      inode_(other.inode_) {}

Listener::~Listener() {
  // The lock file stays: removing it would let two servers each lock a file of that name.
  struct stat status;
  const bool is_ours = owns_path_ && lstat(endpoint_.path.c_str(), &status) == 0 &&
                       status.st_dev == device_ && status.st_ino == inode_;
  if (is_ours) unlink(endpoint_.path.c_str());
}

absl::StatusOr<Listener> Listener::Open(const endpoint::Endpoint& endpoint, Carries carries,
                                        const PeerRule& peers) {
  return endpoint.is_unix() ? OpenUnix(endpoint, carries, peers) : OpenTcp(endpoint);
}

absl::StatusOr<Listener> Listener::OpenUnix(const endpoint::Endpoint& endpoint, Carries carries,
                                            const PeerRule& peers) {
  if (absl::Status status = MakeDirectoryOf(endpoint); !status.ok()) return status;
  Listener listener;
  listener.endpoint_ = endpoint;
  const std::string lock_path = endpoint.path + ".lock";
  listener.lock_ =
      Descriptor(open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (listener.lock_.get() == -1) return Failed(endpoint, absl::StrCat("opening ", lock_path));
  if (flock(listener.lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return Failed(endpoint, absl::StrCat("locking ", lock_path));
    return absl::UnavailableError(
        absl::StrCat("listen ", endpoint.ToString(), ": another server listens there"));
  }

  struct stat status;
  if (lstat(endpoint.path.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode)) {
      return absl::FailedPreconditionError(
          absl::StrCat("listen ", endpoint.ToString(), ": a file that is not a socket is there"));
    }
    if (unlink(endpoint.path.c_str()) != 0) return Failed(endpoint, "removing the old socket");
  }
  const int type = carries == Carries::kStream ? SOCK_STREAM : SOCK_SEQPACKET;
  listener.socket_ = Descriptor(socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (listener.fd() == -1) return Failed(endpoint, "socket");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, endpoint.path.data(), endpoint.path.size());
  if (bind(listener.fd(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return Failed(endpoint, "bind");
  }
  if (lstat(endpoint.path.c_str(), &status) != 0) return Failed(endpoint, "stat");
  listener.owns_path_ = true;
  listener.device_ = status.st_dev;
  listener.inode_ = status.st_ino;
  // Nobody can connect before listen(), so the mode is never wider than this.
  if (chmod(endpoint.path.c_str(), peers.names_any() ? 0666 : 0660) != 0)
    return Failed(endpoint, "chmod");
  if (::listen(listener.fd(), kBacklog) != 0) return Failed(endpoint, "listen");
  return listener;
}

absl::StatusOr<Listener> Listener::OpenTcp(const endpoint::Endpoint& endpoint) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found);
  if (error != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("listen ", endpoint.ToString(), ": ", gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, &freeaddrinfo);

  Listener listener;
  listener.endpoint_ = endpoint;
  listener.socket_ =
      Descriptor(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
  if (listener.fd() == -1) return Failed(endpoint, "socket");
  const int on = 1;
  if (setsockopt(listener.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) {
    return Failed(endpoint, "SO_REUSEADDR");
  }
  if (bind(listener.fd(), found->ai_addr, found->ai_addrlen) != 0) return Failed(endpoint, "bind");
  if (::listen(listener.fd(), kBacklog) != 0) return Failed(endpoint, "listen");

  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  if (getsockname(listener.fd(), reinterpret_cast<sockaddr*>(&bound), &length) != 0) {
    return Failed(endpoint, "getsockname");
  }
  listener.endpoint_.port =
      ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                        : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
  return listener;
}

}  // namespace parity::listen
