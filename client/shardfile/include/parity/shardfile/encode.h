// Makes the shard files of an object.
#ifndef PARITY_SHARDFILE_ENCODE_H_
#define PARITY_SHARDFILE_ENCODE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "parity/client/coder.h"
#include "parity/codec/geometry.h"
#include "parity/shardfile/layout.h"
#include "parity/shardfile/object_id.h"
#include "parity/shardfile/output_file.h"
#include "parity/shardfile/run_options.h"

namespace parity::shardfile {

struct EncodeOptions {
  // Where the shard files go: a directory, which is made if it is not there. Empty: that of the
  // source.
  std::string directory;
  // Whether files of the same names may be there.
  Existing existing = Existing::kRefuse;
  // See Layout. 0: DefaultCellBytes.
  uint32_t block_bytes = kDefaultBlockBytes;
  uint32_t cell_bytes = 0;
  RunOptions run;
};

struct EncodedObject {
  ObjectId object_id;
  Layout layout;
  std::vector<std::string> paths;    // by index
  std::vector<std::string> removed;  // of shards that there were more of before
};

// Writes the k+m shard files of the regular file `source`, named ShardFileName(<name of source>, i)
// and no more readable than it is. They appear when all of them are complete. With
// Existing::kReplace, shards of a replaced object that have such names with higher indices are then
// removed: it had more shards, and these would stand beside the new ones for good.
//
// The error names the file or the field: INVALID_ARGUMENT (not a regular file, bad sizes),
// ALREADY_EXISTS, ABORTED if the source changed meanwhile, CANCELLED, one of File's, or the
// coder's.
absl::StatusOr<EncodedObject> EncodeObject(client::Coder& coder, const codec::Geometry& geometry,
                                           const std::string& source, const EncodeOptions& options);

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_ENCODE_H_
