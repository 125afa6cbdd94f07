#include "backoff.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace parity::client {

absl::Duration BackoffOf(int retry, absl::Duration first, absl::Duration longest, double random01) {
  assert(retry >= 0 && first >= absl::ZeroDuration() && longest >= absl::ZeroDuration());
  assert(random01 >= 0 && random01 <= 1);
  // A Duration saturates, but 0 times infinity would be infinite: this stays finite.
  constexpr int kMostDoublings = 1000;
  const double factor = std::ldexp(1.0, std::min(retry, kMostDoublings));
  return std::min(first * factor, longest) * (0.5 + 0.5 * random01);
}

}  // namespace parity::client
