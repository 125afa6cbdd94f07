// The shards of a stripe from those that are left.
#ifndef PARITY_SHARDFILE_RESTORE_H_
#define PARITY_SHARDFILE_RESTORE_H_

#include "absl/status/status.h"
#include "parity/client/coder.h"
#include "parity/shardfile/layout.h"
#include "parity/shardfile/shard_set.h"
#include "stripe_buffer.h"

namespace parity::shardfile {

// Computes what is bad of the shards in `wanted`, in place. Each run of blocks with the same bad
// shards is computed from shards that are good there, so damage beyond m shards does no harm where
// it does not coincide. REQUIRES: every shard was read into the stripe. DATA_LOSS, naming the
// stripe, the bytes and the shards, if in a run in which one is wanted more than m are bad or, with
// the Vandermonde matrix, certain m or fewer; or the coder's error.
absl::Status Restore(client::Coder& coder, const Layout& layout, const ShardMask& wanted,
                     const client::CallOptions& call, StripeBuffer& stripe);

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_RESTORE_H_
