// Which server gets the next call.
//
// Key decision: the one with the fewest bytes in flight, not the fewest calls: what a call costs is
// its bytes, and these differ by orders of magnitude.
#ifndef PARITY_CLIENT_POOL_CHOOSER_H_
#define PARITY_CLIENT_POOL_CHOOSER_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace parity::client {

struct Candidate {
  uint64_t bytes_in_flight = 0;
  bool usable = false;
  bool tried = false;  // by this call, before
};

// The index of the least loaded of those that are usable and not tried; -1 if there is none. Of
// several, as `turn` says: with one more at each call, all get the same, however they lie.
int ChooseServer(absl::Span<const Candidate> candidates, size_t turn);

}  // namespace parity::client

#endif  // PARITY_CLIENT_POOL_CHOOSER_H_
