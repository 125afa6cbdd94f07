// Makes missing and damaged shard files anew.
#ifndef PARITY_SHARDFILE_REPAIR_H_
#define PARITY_SHARDFILE_REPAIR_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "parity/client/coder.h"
#include "parity/shardfile/run_options.h"
#include "parity/shardfile/shard_set.h"

namespace parity::shardfile {

struct RepairOptions {
  // Where the new files go, under the names of the old ones: a directory, which is made if it is
  // not there. Empty: in the places of the old ones.
  std::string directory;
  RunOptions run;
};

struct RebuiltShard {
  uint32_t index;
  std::string path;
};

// Finishes an update that was interrupted (see update.h). Its journals stay until the last shard
// has it, be it rebuilt: a shard that is refused is then an error, and FAILED_PRECONDITION a
// directory that is not that of the missing shards, as these could come back without the update.
//
// Writes the files of the shards that VerifySet finds missing or damaged, and no others; none if
// there are none. A damaged file is replaced; anything else in the way of a new file is
// ALREADY_EXISTS or, of a file that is refused, its fault. Each run of damaged blocks takes k
// shards that are good there, so damage of more than m shards can be repaired where it does not
// coincide. The set is read twice. The files appear when all are complete and the parity of every
// rebuilt stripe has been checked.
//
// DATA_LOSS, with nothing written, if somewhere more than m shards are lost or if shards disagree
// although their checksums match: then which one is wrong is for the caller to decide. ABORTED if a
// file changed meanwhile. CANCELLED, one of File's, or the coder's.
absl::StatusOr<std::vector<RebuiltShard>> RepairSet(client::Coder& coder, const ShardSet& set,
                                                    const RepairOptions& options);

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_REPAIR_H_
