// The journal of an update: the new contents of all blocks that it changes.
//
// Key decision: a journal appears whole and on the medium before the first shard changes, and is
// written to the shards as often as it takes. There is one beside every shard, so that it is found
// whichever of them a command is given.
#ifndef PARITY_SHARDFILE_JOURNAL_H_
#define PARITY_SHARDFILE_JOURNAL_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "parity/shardfile/file.h"
#include "parity/shardfile/output_file.h"
#include "parity/shardfile/run_options.h"
#include "parity/shardfile/shard_set.h"

namespace parity::shardfile {

// The journals of the set that there are. None unless an update is under way or was interrupted.
std::vector<std::string> JournalsOf(const ShardSet& set);

// DATA_LOSS, saying what to do.
absl::Status UnfinishedUpdate(const std::string& journal);

struct JournalEntry {
  uint64_t stripe;
  uint32_t shard;
  uint32_t block;         // of the cell
  uint32_t old_checksum;  // of what the block had before
  absl::Span<const uint8_t> contents;
};

// Thread-safe.
class JournalWriter {
 public:
  // Files no more readable than `mode`.
  static absl::StatusOr<std::unique_ptr<JournalWriter>> Create(const ShardSet& set, mode_t mode);

  absl::Status Append(const std::vector<JournalEntry>& entries);
  uint64_t entries() const { return entries_; }
  // The journals appear. From then on the update takes place; after an error it does not.
  absl::Status Commit(const RunOptions& run);

 private:
  explicit JournalWriter(const ShardSet& set) : set_(set) {}

  const ShardSet& set_;
  std::vector<std::unique_ptr<OutputFile>> files_;
  std::atomic<uint64_t> end_;  // where the next entry goes
  std::atomic<uint64_t> entries_{0};
};

// By index, opened to be changed and locked; none for a shard that is to be left alone.
using ShardFiles = std::vector<std::optional<File>>;

// Of the readable shards. ABORTED if another process has one open.
absl::StatusOr<ShardFiles> OpenForChange(const ShardSet& set);

// Writes what the set's journals have to the shards, and removes the journals when it is on the
// medium. DATA_LOSS, with nothing changed, if no journal is undamaged or, unless `is_new`, a block
// has other contents than before and after the update.
absl::Status ApplyJournal(const ShardSet& set, const ShardFiles& files, bool is_new);

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_JOURNAL_H_
