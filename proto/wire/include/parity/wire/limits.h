// Limits of parity.v1 that both sides know.
#ifndef PARITY_WIRE_LIMITS_H_
#define PARITY_WIRE_LIMITS_H_

#include <cstdint>

namespace parity::wire {

// The longest request or response message, in bytes, unless the server is told otherwise. A larger
// stripe travels as several slices.
inline constexpr uint64_t kMaxMessageBytes = uint64_t{64} << 20;

// Calls that one connection may have under way, unless the server is told otherwise; gRPC clients
// keep further ones waiting.
inline constexpr int kMaxCallsPerConnection = 128;

// Stripes in one message.
inline constexpr uint32_t kMaxStripesPerMessage = 1024;

}  // namespace parity::wire

#endif  // PARITY_WIRE_LIMITS_H_
