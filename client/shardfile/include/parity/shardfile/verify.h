// Finds out what is wrong with the shards of an object.
#ifndef PARITY_SHARDFILE_VERIFY_H_
#define PARITY_SHARDFILE_VERIFY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "parity/client/coder.h"
#include "parity/shardfile/run_options.h"
#include "parity/shardfile/shard_set.h"

namespace parity::shardfile {

struct Damage {
  enum class Kind {
    kUpdate,   // an update was interrupted: FinishUpdate (update.h)
    kMissing,  // no file
    kHeader,   // a file without a readable header, or one that is refused
    kLength,   // a file that is shorter or longer than its header says
    kBlocks,   // adjacent blocks that do not match their checksums or cannot be read
    kParity,   // a stripe whose shards do not belong together, although the checksums match
  };
  Kind kind = Kind::kMissing;
  // The shard and its file. For kParity: the one that would explain it, or none. For kUpdate: none,
  // and the journal.
  std::optional<uint32_t> shard;
  std::string path;
  // kUpdate, kMissing, kHeader, kLength.
  std::string reason;
  // kBlocks: the blocks, numbered within the shard; where they start in the shard and in its file;
  // how long they are. kParity: shard_offset is the first byte, the same in all shards, that is
  // wrong.
  uint64_t first_block = 0;
  uint64_t blocks = 0;
  uint64_t shard_offset = 0;
  uint64_t file_offset = 0;
  uint64_t bytes = 0;
  // kBlocks: an offset in the shard that parity shows to be wrong, the lowest in its stripe.
  std::optional<uint64_t> wrong_byte;

  // One line.
  std::string ToString() const;
};

// "update", "missing", "header", "length", "blocks", "parity".
const char* NameOf(Damage::Kind kind);

struct SetReport {
  static constexpr size_t kMaxDamages = 1000;

  // First those of whole files, then blocks, both by shard, then parity by offset. Of blocks and
  // parity at most kMaxDamages together; what is found beyond them is only counted.
  std::vector<Damage> damages;
  uint64_t damages_left_out = 0;
  // Shards whose files are missing or damaged. A shard that only parity speaks against is not one.
  ShardMask damaged;
  // Stripes with damage of kParity.
  uint64_t parity_mismatches = 0;

  bool consistent() const { return damages.empty(); }
};

// Reads every file of the set and checks lengths and checksums; stripes of which all k+m cells
// could be read, damaged or not, are checked for parity too. An error means that the set could not
// be checked: one of File's, CANCELLED, or the coder's.
absl::StatusOr<SetReport> VerifySet(client::Coder& coder, const ShardSet& set,
                                    const RunOptions& run);

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_VERIFY_H_
