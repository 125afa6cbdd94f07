// How long to wait before a call is tried again.
//
// Key decision: half of the wait is certain and half is chance. So callers that failed together do
// not come back together, and none comes back at once.
#ifndef PARITY_CLIENT_POOL_BACKOFF_H_
#define PARITY_CLIENT_POOL_BACKOFF_H_

#include "absl/time/time.h"

namespace parity::client {

// Before retry number `retry`, counted from 0: `first` doubled so many times, but no more than
// `longest`, of which between half (`random01` is 0) and the whole (1).
// REQUIRES: no argument is negative, and random01 is at most 1.
absl::Duration BackoffOf(int retry, absl::Duration first, absl::Duration longest, double random01);

}  // namespace parity::client

#endif  // PARITY_CLIENT_POOL_BACKOFF_H_
