// A stripe cut into slices that run at the same time.
#ifndef PARITY_CLIENT_SLICES_H_
#define PARITY_CLIENT_SLICES_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "crew.h"
#include "parity/client/request.h"

namespace parity::client {

// Runs the request in slices of about `slice_bytes`, all shards counted, `in_flight` at a time: by
// the calling thread and those of the crew that are free. The error is that of the lowest slice
// that has failed; after one no further slice is begun.
absl::Status RunSlices(const Request& request, uint64_t slice_bytes, int in_flight, Crew& crew,
                       const std::function<absl::Status(const Request& slice)>& run);

}  // namespace parity::client

#endif  // PARITY_CLIENT_SLICES_H_
