// How fast this core can read at all.
#ifndef PARITY_TIMING_READ_LIMIT_H_
#define PARITY_TIMING_READ_LIMIT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "parity/timing/timing.h"

namespace parity::timing {

// Ways to read that many bytes and do nothing with them: as 1, 2, 4, 8 or 16 streams side by side,
// by the widest registers there are. The fastest is the limit.
// REQUIRES: bytes is a multiple of 4 KiB.
std::vector<Call> ReadCalls(const uint8_t* start, size_t bytes);

}  // namespace parity::timing

#endif  // PARITY_TIMING_READ_LIMIT_H_
