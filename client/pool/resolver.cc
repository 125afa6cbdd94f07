#include "resolver.h"

#include <netdb.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "parity/codec/field_error.h"
#include "parity/endpoint/lookup.h"

namespace parity::client {
namespace {

// The longest that a lookup may take.
constexpr absl::Duration kPatience = absl::Seconds(5);

bool IsPort(absl::string_view text) {
  return std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

// Whether HOST or [V6] stands alone.
bool LacksPort(absl::string_view text) {
  return !text.empty() && (absl::EndsWith(text, "]") || !absl::StrContains(text, ':'));
}

absl::Status Unresolved(absl::string_view what, absl::string_view why) {
  return absl::UnavailableError(absl::StrCat(what, ": ", why));
}

}  // namespace

absl::StatusOr<Target> ParseTarget(std::string_view field, std::string_view text) {
  Target target;
  target.text = std::string(text);
  absl::string_view rest = target.text;
  if (!absl::ConsumePrefix(&rest, "dns:") || IsPort(rest)) {
    absl::StatusOr<endpoint::Endpoint> endpoint = endpoint::Parse(field, text);
    if (!endpoint.ok()) {
      // A path has its own errors, which say all there is.
      if (absl::StartsWith(target.text, "unix:")) return endpoint.status();
      return codec::InvalidField(field, text,
                                 "HOST:PORT, [V6]:PORT, unix:PATH or dns:///HOST[:PORT]");
    }
    target.endpoint = *std::move(endpoint);
    return target;
  }
  absl::ConsumePrefix(&rest, "///");
  std::string address(rest);
  if (LacksPort(rest)) absl::StrAppend(&address, ":", endpoint::kDefaultPort);
  absl::StatusOr<endpoint::Endpoint> endpoint = endpoint::Parse(field, address);
  // A slash is a DNS server's name before the host, or a path.
  if (!endpoint.ok() || endpoint->is_unix() || absl::StrContains(rest, '/')) {
    return codec::InvalidField(field, text, "dns:HOST[:PORT] or dns:///HOST[:PORT]");
  }
  target.endpoint = *std::move(endpoint);
  target.is_name = true;
  return target;
}

absl::StatusOr<std::vector<std::string>> LookUpHost(const std::string& host,
                                                    absl::FunctionRef<bool()> gives_up) {
  const absl::StatusOr<std::vector<endpoint::SocketAddress>> found =
      endpoint::LookUp(host, 0, absl::Now() + kPatience, gives_up);
  if (!found.ok()) return Unresolved(host, found.status().message());
  std::vector<std::string> addresses;
  for (const endpoint::SocketAddress& address : *found) {
    char text[NI_MAXHOST];
    const int error = getnameinfo(address.get(), address.bytes, text, sizeof text, nullptr, 0,
                                  NI_NUMERICHOST);  // with the interface of a link-local address
    if (error != 0) return Unresolved(host, gai_strerror(error));
    addresses.emplace_back(text);
  }
  return addresses;
}

absl::StatusOr<std::vector<std::string>> Resolve(const Target& target, const Lookup& lookup) {
  if (!target.is_name) return std::vector<std::string>{target.text};
  absl::StatusOr<std::vector<std::string>> addresses = lookup(target.endpoint.host);
  if (!addresses.ok()) return Unresolved(target.text, addresses.status().message());
  if (addresses->empty()) return Unresolved(target.text, "the name has no addresses");
  for (std::string& address : *addresses) {
    endpoint::Endpoint server;
    server.host = std::move(address);
    server.port = target.endpoint.port;
    address = server.ToString();
  }
  std::sort(addresses->begin(), addresses->end());
  addresses->erase(std::unique(addresses->begin(), addresses->end()), addresses->end());
  return addresses;
}

}  // namespace parity::client
