// The stripes of an object, several at a time.
#ifndef PARITY_SHARDFILE_STRIPE_POOL_H_
#define PARITY_SHARDFILE_STRIPE_POOL_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "parity/shardfile/layout.h"
#include "parity/shardfile/run_options.h"
#include "stripe_buffer.h"

namespace parity::shardfile {

// Calls work(buffer) once for every stripe from `begin` up to `end`, the buffer reset to it, in
// ascending order on up to run.stripes_in_flight threads at the same time, of which the caller's is
// one. After an error no stripe is begun; of several errors, that of the lowest stripe is returned.
// CANCELLED and progress as RunOptions says.
absl::Status ForEachStripe(const Layout& layout, uint64_t begin, uint64_t end,
                           const RunOptions& run,
                           absl::FunctionRef<absl::Status(StripeBuffer& buffer)> work);

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_STRIPE_POOL_H_
