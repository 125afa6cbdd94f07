// Restores an object from its shard files.
#ifndef PARITY_SHARDFILE_DECODE_H_
#define PARITY_SHARDFILE_DECODE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "parity/client/coder.h"
#include "parity/shardfile/output_file.h"
#include "parity/shardfile/run_options.h"
#include "parity/shardfile/shard_set.h"

namespace parity::shardfile {

struct DecodeOptions {
  // Whether a file may be where the object goes.
  Existing existing = Existing::kRefuse;
  RunOptions run;
};

struct DecodedObject {
  uint64_t bytes;
  uint64_t restored_stripes;  // those that needed parity
};

// Writes the object to `path`, no more readable than its shards are; the file appears when it is
// complete. Reads the data shards and, for stripes with missing or damaged data, as many parity
// shards as it takes: any k good shards of a block will do.
//
// DATA_LOSS, naming the place, if somewhere fewer than k shards are good, or if an update was
// interrupted (see update.h). ALREADY_EXISTS,
// CANCELLED, one of File's, or the coder's.
absl::StatusOr<DecodedObject> DecodeObject(client::Coder& coder, const ShardSet& set,
                                           const std::string& path, const DecodeOptions& options);

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_DECODE_H_
