#include "chooser.h"

namespace parity::client {

int ChooseServer(absl::Span<const Candidate> candidates, size_t turn) {
  uint64_t least = 0;
  size_t ties = 0;
  for (const Candidate& candidate : candidates) {
    if (!candidate.usable || candidate.tried) continue;
    if (ties == 0 || candidate.bytes_in_flight < least) {
      least = candidate.bytes_in_flight;
      ties = 0;
    }
    if (candidate.bytes_in_flight == least) ++ties;
  }
  if (ties == 0) return -1;
  size_t before = turn % ties;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& candidate = candidates[i];
    if (!candidate.usable || candidate.tried || candidate.bytes_in_flight != least) continue;
    if (before == 0) return static_cast<int>(i);
    --before;
  }
  return -1;
}

}  // namespace parity::client
