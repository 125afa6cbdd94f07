// The journal of an update: the new contents of all blocks that it changes.
//
// Key decision: a journal appears whole and on the medium before the first shard changes, and is
// written to the shards as often as it takes. It goes when no shard is left without the update.
// There is one beside every shard, so that it is found whichever of them a command is given.
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

bool AreAllThere(const ShardFiles& files);

// Writes what the set's journals have to these shards; returns when it is on the medium. DATA_LOSS,
// with nothing changed, if no journal is undamaged or, unless `is_new`, a block has other contents
// than before and after the update.
absl::Status WriteJournal(const ShardSet& set, const ShardFiles& files, bool is_new);

// REQUIRES: all k+m shards have what the journals have, or were made anew from those that do, and
// this process has shards locked.
absl::Status RemoveJournals(const ShardSet& set);

// Writes the journals of an update that was interrupted, and leaves them there. Returns the shards,
// of which those are none that are missing or have no readable header; nothing if there is no such
// update. The fault of a shard that is refused, as it may come back without the update, or the
// errors of OpenForChange and WriteJournal.
absl::StatusOr<std::optional<ShardFiles>> WriteUnfinished(const ShardSet& set);

// Whether shards that are not readable, when made anew in `directory` or, if that is empty, their
// places, take the places of their old files. FAILED_PRECONDITION, saying what to do: otherwise an
// old file that comes back would not have the update.
absl::Status CheckInPlace(const ShardSet& set, const std::string& directory);

// Removes the temporary files of journals that killed processes left, where that can be done.
void RemoveTemporaries(const ShardSet& set);

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_JOURNAL_H_
