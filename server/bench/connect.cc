#include "connect.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "parity/endpoint/socket.h"

namespace parity::bench {
namespace {

constexpr int kBacklog = 1024;

struct Address {
  sockaddr_storage storage{};
  socklen_t bytes = 0;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

Address AddressOf(const endpoint::Endpoint& endpoint) {
  Address address;
  if (endpoint.is_unix()) {
    auto* unix_address = reinterpret_cast<sockaddr_un*>(&address.storage);
    unix_address->sun_family = AF_UNIX;
    std::memcpy(unix_address->sun_path, endpoint.path.data(), endpoint.path.size());
    address.bytes = sizeof(sockaddr_un);
  } else {
    auto* inet_address = reinterpret_cast<sockaddr_in*>(&address.storage);
    inet_address->sin_family = AF_INET;
    inet_address->sin_port = htons(endpoint.port);
    inet_pton(AF_INET, endpoint.host.c_str(), &inet_address->sin_addr);
    address.bytes = sizeof(sockaddr_in);
  }
  return address;
}

absl::Status Failed(const endpoint::Endpoint& endpoint, int descriptor) {
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  return absl::UnavailableError(absl::StrCat(endpoint.ToString(), ": ", std::strerror(error)));
}

}  // namespace

absl::StatusOr<int> Connect(const endpoint::Endpoint& endpoint) {
  Address address = AddressOf(endpoint);
  const int descriptor = socket(address.get()->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0 || connect(descriptor, address.get(), address.bytes) != 0) {
    return Failed(endpoint, descriptor);
  }
  endpoint::TuneSocket(descriptor, endpoint.is_unix());
  return descriptor;
}

absl::StatusOr<int> Listen(endpoint::Endpoint& endpoint) {
  Address address = AddressOf(endpoint);
  const int descriptor = socket(address.get()->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0 || bind(descriptor, address.get(), address.bytes) != 0 ||
      listen(descriptor, kBacklog) != 0 ||
      getsockname(descriptor, address.get(), &address.bytes) != 0) {
    return Failed(endpoint, descriptor);
  }
  if (!endpoint.is_unix()) {
    endpoint.port = ntohs(reinterpret_cast<sockaddr_in*>(&address.storage)->sin_port);
  }
  return descriptor;
}

}  // namespace parity::bench
