// The addresses of a host, by a deadline.
#ifndef PARITY_ENDPOINT_LOOKUP_H_
#define PARITY_ENDPOINT_LOOKUP_H_

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace parity::endpoint {

struct SocketAddress {
  sockaddr_storage storage;
  socklen_t bytes;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

// At least one, in the order in which they should be tried. One written out needs no looking up;
// of a name only addresses of kinds that this machine has itself are given. UNAVAILABLE with the
// reason. DEADLINE_EXCEEDED if the system's resolver takes longer than until `deadline`, or
// `gives_up`, which is asked every 50 ms: one of libc's 20 threads for lookups then goes on with
// it, and memory for it is held until some later lookup. Thread-safe.
absl::StatusOr<std::vector<SocketAddress>> LookUp(
    const std::string& host, uint16_t port, absl::Time deadline,
    absl::FunctionRef<bool()> gives_up = [] { return false; });

}  // namespace parity::endpoint

#endif  // PARITY_ENDPOINT_LOOKUP_H_
