// Replaces bytes of an object in its shard files, and brings parity up to date.
//
// Key decision: new blocks are written to a journal first, so that whatever ends the process leaves
// the old object or one that FinishUpdate makes the new one. README.md has the journal's bytes.
#ifndef PARITY_SHARDFILE_UPDATE_H_
#define PARITY_SHARDFILE_UPDATE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "parity/client/coder.h"
#include "parity/shardfile/file.h"
#include "parity/shardfile/run_options.h"
#include "parity/shardfile/shard_set.h"

namespace parity::shardfile {

// Where the first byte goes.
struct UpdatePlace {
  std::optional<uint32_t> data_shard;  // unset: `offset` counts in the object
  uint64_t offset = 0;
};

struct UpdatedObject {
  uint64_t bytes = 0;            // replaced
  uint64_t blocks = 0;           // written, those of parity counted
  std::vector<uint32_t> shards;  // whose files were written, ascending
};

// How many bytes may be replaced from the place on: what the object has there, without the zeros
// that fill up the last cells. INVALID_ARGUMENT naming "data_shard" or "offset".
absl::StatusOr<uint64_t> BytesFrom(const Layout& layout, const UpdatePlace& place);

// Replaces as many bytes as `source` has, which the object must have there. Reads the blocks that
// it touches and those of parity beside them, and no others. All shards must be there, and each
// block that is read must match its checksum. The journal, in each directory of a shard, takes as
// many bytes as the blocks written. An update that was interrupted before is finished first.
//
// DATA_LOSS, with nothing changed, if a shard is missing or damaged there: repair it.
// FAILED_PRECONDITION if a file has more names than one, which may be in other directories. Else
// INVALID_ARGUMENT naming "data_shard", "offset" or "source", ABORTED if another process has the
// shards open, CANCELLED before the first byte of a shard has changed, one of File's, or the
// coder's. After an error of File's the update may be unfinished, which VerifySet reports.
absl::StatusOr<UpdatedObject> UpdateObject(client::Coder& coder, const ShardSet& set,
                                           const UpdatePlace& place, const File& source,
                                           const RunOptions& run);

// The journals of updates that were interrupted or are under way; one for each directory.
std::vector<std::string> UnfinishedUpdates(const ShardSet& set);

// Finishes an update that was interrupted; returns whether there was one. If shards are missing or
// have no readable header it is written to the others and stays unfinished: RepairSet makes those
// anew. The fault of a shard that is refused; DATA_LOSS if the journal is damaged, or a shard has
// other contents than before and after the update. ABORTED, one of File's.
absl::StatusOr<bool> FinishUpdate(const ShardSet& set);

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_UPDATE_H_
