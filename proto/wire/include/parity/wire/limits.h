// Limits of parity.v1 that both sides know.
#ifndef PARITY_WIRE_LIMITS_H_
#define PARITY_WIRE_LIMITS_H_

#include <cstdint>

namespace parity::wire {

// The longest request or response message, in bytes. A larger stripe travels as several slices.
inline constexpr uint64_t kMaxMessageBytes = uint64_t{64} << 20;

}  // namespace parity::wire

#endif  // PARITY_WIRE_LIMITS_H_
