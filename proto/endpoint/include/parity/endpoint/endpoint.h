// Where a parityd listens and where clients look for one.
#ifndef PARITY_ENDPOINT_ENDPOINT_H_
#define PARITY_ENDPOINT_ENDPOINT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace parity::endpoint {

inline constexpr uint16_t kDefaultPort = 7420;

// One address: either a Unix socket or a host and a port.
struct Endpoint {
  std::string path;  // of the Unix socket; empty for TCP
  std::string host;  // a name or a literal address, without brackets
  uint16_t port = 0;

  bool is_unix() const { return !path.empty(); }
  // "unix:PATH", "HOST:PORT" or "[V6]:PORT": what Parse accepts, and a gRPC target.
  std::string ToString() const;
};

// Accepts "HOST:PORT", "[V6]:PORT" and "unix:PATH". INVALID_ARGUMENT naming `field` otherwise, also
// for a port above 65535 and a path longer than a socket address holds (107 bytes).
absl::StatusOr<Endpoint> Parse(std::string_view field, std::string_view text);

// The directory of the default Unix socket: $XDG_RUNTIME_DIR/parityd, else /run/parityd for root,
// else /tmp/parityd-<uid>. Not created here.
std::string RuntimeDirectory();

// "unix:<runtime directory>/parityd.sock" and "127.0.0.1:7420".
Endpoint DefaultUnixEndpoint();
Endpoint DefaultTcpEndpoint();

// What a client uses when it is told nothing: the default Unix socket if a server accepts there
// that this user may use and that belongs to this user or root, else the default TCP address.
Endpoint DefaultServer();

}  // namespace parity::endpoint

#endif  // PARITY_ENDPOINT_ENDPOINT_H_
