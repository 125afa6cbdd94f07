#include "parity/endpoint/endpoint.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "parity/codec/field_error.h"

namespace parity::endpoint {
namespace {

constexpr size_t kMaxPathBytes = sizeof(sockaddr_un::sun_path) - 1;

// Whether somebody accepts connections there: a killed server leaves its socket.
bool IsServed(const std::string& path) {
  sockaddr_un address{};
  if (path.size() > kMaxPathBytes) return false;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return false;
  // EAGAIN: served, and busy.
  const bool served =
      connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
      errno == EAGAIN;
  close(descriptor);
  return served;
}

}  // namespace

std::string Endpoint::ToString() const {
  if (is_unix()) return absl::StrCat("unix:", path);
  const bool v6 = host.find(':') != std::string::npos;
  return v6 ? absl::StrCat("[", host, "]:", port) : absl::StrCat(host, ":", port);
}

absl::StatusOr<Endpoint> Parse(std::string_view field, std::string_view text) {
  Endpoint endpoint;
  const absl::string_view address(text.data(), text.size());
  absl::string_view rest = address;
  if (absl::ConsumePrefix(&rest, "unix:")) {
    if (rest.empty() || rest.size() > kMaxPathBytes) {
      return codec::InvalidField(
          field, address, absl::StrCat("unix:PATH with a path of 1 to ", kMaxPathBytes, " bytes"));
    }
    endpoint.path = std::string(rest);
    return endpoint;
  }
  const size_t colon = address.rfind(':');
  absl::string_view host = address.substr(0, colon == absl::string_view::npos ? 0 : colon);
  const bool bracketed = absl::ConsumePrefix(&host, "[") && absl::ConsumeSuffix(&host, "]");
  const bool bare_v6 = !bracketed && host.find(':') != absl::string_view::npos;
  uint32_t port = 0;
  if (host.empty() || bare_v6 || !absl::SimpleAtoi(address.substr(colon + 1), &port) ||
      port > UINT16_MAX) {
    return codec::InvalidField(field, address, "HOST:PORT, [V6]:PORT or unix:PATH");
  }
  endpoint.host = std::string(host);
  endpoint.port = static_cast<uint16_t>(port);
  return endpoint;
}

std::string RuntimeDirectory() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime != '\0') return absl::StrCat(runtime, "/parityd");
  if (geteuid() == 0) return "/run/parityd";
  return absl::StrCat("/tmp/parityd-", geteuid());
}

Endpoint DefaultUnixEndpoint() {
  Endpoint endpoint;
  endpoint.path = absl::StrCat(RuntimeDirectory(), "/parityd.sock");
  return endpoint;
}

Endpoint DefaultTcpEndpoint() {
  Endpoint endpoint;
  endpoint.host = "127.0.0.1";
  endpoint.port = kDefaultPort;
  return endpoint;
}

Endpoint DefaultServer() {
  Endpoint endpoint = DefaultUnixEndpoint();
  struct stat status;
  const bool trusted = stat(endpoint.path.c_str(), &status) == 0 &&
                       (status.st_uid == geteuid() || status.st_uid == 0);
  if (trusted && IsServed(endpoint.path)) return endpoint;
  return DefaultTcpEndpoint();
}

}  // namespace parity::endpoint
