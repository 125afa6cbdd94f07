// What the shared-memory path bounds, and at what.
#ifndef PARITY_RINGS_LIMITS_H_
#define PARITY_RINGS_LIMITS_H_

#include <cstdint>

#include "absl/time/time.h"

namespace parity::rings {

// Every limit is an option of parityd and is reported by GetServerInfo.
struct Limits {
  // The longest region of one client.
  uint64_t max_region_bytes = uint64_t{1} << 30;

  // All regions together, with some 150 KiB each for what belongs to them. A user may have as much
  // as is still free.
  uint64_t max_regions_bytes = uint64_t{1} << 30;

  // Clients with a region.
  uint32_t max_regions = 256;

  // How long a worker looks for more before it sleeps: waking it takes 20 to 50 us. It costs so
  // much of a CPU every time that clients pause, and gives way to other threads meanwhile. Zero: it
  // sleeps at once.
  absl::Duration spin = absl::Microseconds(50);
};

}  // namespace parity::rings

#endif  // PARITY_RINGS_LIMITS_H_
