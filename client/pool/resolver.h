// What a target stands for: one server, or every address of a name.
//
// Key decision: a name stands for several servers only if the target says so (dns:). HOST:PORT
// stays one server, whose addresses are tried in turn, as it is for a client without a pool.
#ifndef PARITY_CLIENT_POOL_RESOLVER_H_
#define PARITY_CLIENT_POOL_RESOLVER_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "parity/endpoint/endpoint.h"

namespace parity::client {

struct Target {
  std::string text;  // as it was given
  endpoint::Endpoint endpoint;
  bool is_name = false;  // of which every address is a server
};

// Accepts "HOST:PORT", "[V6]:PORT" and "unix:PATH", one server each, and "dns:HOST[:PORT]" or
// "dns:///HOST[:PORT]", all addresses that the host has; the port is 7420 by default. What follows
// "dns:" is no port: "dns:7420" is the host called dns, as it always was.
// INVALID_ARGUMENT naming `field` otherwise.
absl::StatusOr<Target> ParseTarget(std::string_view field, std::string_view text);

// The addresses of a host, without brackets; UNAVAILABLE with the reason.
using Lookup = std::function<absl::StatusOr<std::vector<std::string>>(const std::string& host)>;

// By the system's resolver; see endpoint::LookUp. Takes 5 s at most.
absl::StatusOr<std::vector<std::string>> LookUpHost(
    const std::string& host, absl::FunctionRef<bool()> gives_up = [] { return false; });

// The servers as endpoint::Parse accepts them ("1.2.3.4:7420", "[::1]:7420", "unix:/path"), sorted,
// each once and at least one. Only names are looked up: another is its own text.
// UNAVAILABLE naming the target if the lookup fails or finds nothing.
absl::StatusOr<std::vector<std::string>> Resolve(const Target& target, const Lookup& lookup);

}  // namespace parity::client

#endif  // PARITY_CLIENT_POOL_RESOLVER_H_
