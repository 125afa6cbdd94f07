// A ring's connection to the server and the memories that come over it.
#ifndef PARITY_CLIENT_RING_SOCKET_H_
#define PARITY_CLIENT_RING_SOCKET_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "parity/client/ring.h"
#include "parity/endpoint/descriptor.h"
#include "parity/shm/mapping.h"

namespace parity::client {

struct RingMemories {
  // Declared first: the memories are unmapped before the server learns that the client is gone.
  endpoint::Descriptor socket;
  shm::Mapping submissions;  // a shm::Submissions fits
  shm::Mapping completions;  // a shm::Completions fits; read-only
  shm::Mapping region;
  uint64_t region_id = 0;
  uint32_t node = 0;
};

// Connects and shakes hands, until `deadline`. Errors are those of Ring::Connect. What the server
// says is checked: memory that is shorter than it claims, or could be cut, is not used, as touching
// it would be a SIGBUS.
absl::StatusOr<RingMemories> OpenRing(const RingOptions& options, absl::Time deadline);

}  // namespace parity::client

#endif  // PARITY_CLIENT_RING_SOCKET_H_
