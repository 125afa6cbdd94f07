// Which shard files belong together.
//
// Key decision: the headers say so, names do not. A name matters only for a shard whose header is
// gone: its file is known by the place where it should be.
#ifndef PARITY_SHARDFILE_SHARD_SET_H_
#define PARITY_SHARDFILE_SHARD_SET_H_

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "parity/codec/geometry.h"
#include "parity/shardfile/layout.h"
#include "parity/shardfile/object_id.h"
#include "parity/shardfile/shard_reader.h"

namespace parity::shardfile {

// A set of shards of one object.
using ShardMask = std::bitset<codec::Geometry::kMaxShards>;

// "<base>.<index, 3 digits>.shard".
std::string ShardFileName(absl::string_view base, uint32_t index);

// By index; none for a shard whose header cannot be read.
using ShardReaders = std::vector<std::optional<ShardReader>>;

// The permissions that all these files have.
mode_t CommonMode(const ShardReaders& readers);

// The files of one object. Holds no file open.
struct ShardSet {
  struct Member {
    enum class State {
      kReadable,    // its header is
      kUnreadable,  // there is a file, but its header cannot be read
      kRefused,  // there is a file that may be undamaged: it cannot be opened, is no regular file,
                 // or is one for a later version. Nothing may take its place
      kMissing,  // there is no file, or it was not among those looked at
    };
    State state;
    std::string path;    // where it is or, if missing, should be
    absl::Status fault;  // what is wrong with it, unless it is readable
  };

  ObjectId object_id;
  Layout layout;
  std::vector<Member> members;  // by index, k+m of them
  // Not OK: two files are the same shard, or two disagree about the object, and both are named.
  // Which is right is for the caller to decide; Open returns it.
  absl::Status fault;

  // Nobody can update the files while they are open. DATA_LOSS if a header is not the one that was
  // found, ABORTED if the files are being updated. Otherwise ShardReader::Open's errors.
  absl::StatusOr<ShardReaders> Open() const;
  // The same for one who has locked the files.
  absl::StatusOr<ShardReaders> OpenUnlocked() const;
};

struct FoundShards {
  // A file whose header cannot be read and whose name puts it in none of the sets.
  struct Stray {
    std::string path;
    absl::Status fault;
  };
  std::vector<ShardSet> sets;  // in the order of the paths
  std::vector<Stray> strays;
};

// Reads the headers of the shard files in `paths`: files, and directories for the *.shard files in
// them. A file named twice, or by two names, counts once. One that does not exist is a missing
// shard if its name tells which.
//
// What is wrong with a file is the fault of its set, its member or itself as a stray, and no error.
// NOT_FOUND if there is no shard file, or one named does not exist and is no missing shard. Else
// RESOURCE_EXHAUSTED and UNKNOWN, from ShardReader::Open.
absl::StatusOr<FoundShards> FindShards(absl::Span<const std::string> paths);

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_SHARD_SET_H_
