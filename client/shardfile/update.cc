#include "parity/shardfile/update.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "journal.h"
#include "parity/checksum/crc32c.h"
#include "parity/codec/field_error.h"
#include "parity/shardfile/verify.h"
#include "stripe_pool.h"
#include "update_range.h"

namespace parity::shardfile {
namespace {

// Computes the new blocks and puts them into the journal.
class Updater {
 public:
  Updater(client::Coder& coder, const ShardSet& set, const ShardReaders& readers,
          const UpdateRange& range, const File& source, const client::CallOptions& call,
          JournalWriter& journal)
      : coder_(coder),
        layout_(set.layout),
        readers_(readers),
        range_(range),
        source_(source),
        call_(call),
        journal_(journal) {}

  absl::Status UpdateStripe(StripeBuffer& stripe) {
    const std::vector<UpdatePiece> pieces = range_.PiecesOf(stripe.stripe());
    std::vector<std::vector<uint8_t>> replaced;  // by piece: its cell, where it is touched
    for (const UpdatePiece& piece : pieces) {
      replaced.emplace_back(stripe.cell_bytes());
      if (absl::Status status = Read(stripe, piece, replaced.back()); !status.ok()) return status;
    }
    std::vector<JournalEntry> entries;
    for (const UpdateRun& run : range_.RunsOf(pieces)) {
      if (absl::Status status = UpdateBlocks(stripe, run, pieces, replaced, entries);
          !status.ok()) {
        return status;
      }
    }
    return journal_.Append(entries);
  }

 private:
  // Reads blocks of a cell, which must match their checksums.
  absl::Status ReadBlocks(StripeBuffer& stripe, uint32_t shard, uint32_t first, uint32_t count) {
    const ShardReader& reader = *readers_[shard];
    const CellState state = reader.ReadBlocks(
        stripe.stripe(), first, count, stripe.cell(shard) + size_t{first} * layout_.block_bytes());
    if (state.bad_blocks.empty()) return absl::OkStatus();
    const uint32_t block = state.bad_blocks.front();
    const uint64_t offset = uint64_t{block} * layout_.block_bytes();
    Damage damage;
    damage.kind = Damage::Kind::kBlocks;
    damage.shard = shard;
    damage.path = reader.path();
    damage.shard_offset = layout_.shard_offset(stripe.stripe()) + offset;
    damage.file_offset = layout_.record_offset(stripe.stripe()) + offset;
    damage.first_block = damage.shard_offset / layout_.block_bytes();
    damage.blocks = 1;
    damage.bytes = layout_.block_bytes(stripe.stripe(), block);
    return absl::DataLossError(
        absl::StrCat(damage.ToString(), "; nothing was updated: repair first"));
  }

  // Reads the blocks of a piece into the stripe, and what they become into `replaced`.
  absl::Status Read(StripeBuffer& stripe, const UpdatePiece& piece,
                    std::vector<uint8_t>& replaced) {
    const uint32_t first = piece.begin / layout_.block_bytes();
    const uint32_t end = (piece.end - 1) / layout_.block_bytes() + 1;
    if (absl::Status status = ReadBlocks(stripe, piece.shard, first, end - first); !status.ok()) {
      return status;
    }
    std::copy_n(stripe.cell(piece.shard), replaced.size(), replaced.begin());
    const absl::Status status =
        source_.ReadAt(piece.source_offset,
                       absl::MakeSpan(replaced).subspan(piece.begin, piece.end - piece.begin));
    // DATA_LOSS is what shards suffer.
    return absl::IsDataLoss(status) ? absl::AbortedError(status.message()) : status;
  }

  // Replaces the blocks of a run in the stripe and adds them to the entries.
  absl::Status UpdateBlocks(StripeBuffer& stripe, const UpdateRun& run,
                            const std::vector<UpdatePiece>& pieces,
                            const std::vector<std::vector<uint8_t>>& replaced,
                            std::vector<JournalEntry>& entries) {
    const codec::Geometry& geometry = layout_.geometry();
    const size_t begin = size_t{run.first_block} * layout_.block_bytes();
    const size_t bytes =
        std::min<size_t>(size_t{run.blocks} * layout_.block_bytes(), stripe.cell_bytes() - begin);
    std::vector<uint32_t> changed;
    std::vector<client::ShardBytes> before;
    std::vector<client::ShardBytes> after;
    for (const uint32_t piece : run.pieces) {
      const uint32_t shard = pieces[piece].shard;
      changed.push_back(shard);
      before.emplace_back(stripe.cell(shard) + begin, bytes);
      after.emplace_back(replaced[piece].data() + begin, bytes);
      AddEntries(stripe.stripe(), run, shard, before.back(), after.back(), entries);
    }
    std::vector<uint8_t*> parity;
    for (uint32_t shard = geometry.data_shards(); shard < geometry.total_shards(); ++shard) {
      if (absl::Status status = ReadBlocks(stripe, shard, run.first_block, run.blocks);
          !status.ok()) {
        return status;
      }
      parity.push_back(stripe.cell(shard) + begin);
      const client::ShardBytes cell(parity.back(), bytes);
      AddEntries(stripe.stripe(), run, shard, cell, cell, entries);
    }
    return coder_.Update(geometry, changed, before, after, bytes, parity, call_);
  }

  // `after` may get its contents later.
  void AddEntries(uint64_t stripe, const UpdateRun& run, uint32_t shard, client::ShardBytes before,
                  client::ShardBytes after, std::vector<JournalEntry>& entries) const {
    for (uint32_t i = 0; i < run.blocks; ++i) {
      const size_t at = size_t{i} * layout_.block_bytes();
      entries.push_back({stripe, shard, run.first_block + i,
                         checksum::Crc32c(before.subspan(at, layout_.block_bytes())),
                         after.subspan(at, layout_.block_bytes())});
    }
  }

  client::Coder& coder_;
  const Layout& layout_;
  const ShardReaders& readers_;
  const UpdateRange& range_;
  const File& source_;
  const client::CallOptions call_;
  JournalWriter& journal_;
};

// Whether all shards are there and as long as they should be.
absl::Status CheckWhole(const ShardSet& set) {
  if (!set.fault.ok()) return set.fault;
  for (size_t shard = 0; shard < set.members.size(); ++shard) {
    const ShardSet::Member& member = set.members[shard];
    if (member.state == ShardSet::Member::State::kReadable) continue;
    return absl::DataLossError(absl::StrCat("shard ", shard, ": ", member.fault.message(),
                                            "; an update takes all shards: repair first"));
  }
  return absl::OkStatus();
}

// Another name may be in another directory, where nobody would find the journal.
absl::Status CheckOneName(const ShardFiles& files) {
  for (const std::optional<File>& file : files) {
    const absl::StatusOr<struct stat> status = file->Stat();
    if (!status.ok()) return status.status();
    if (status->st_nlink == 1) continue;
    return absl::FailedPreconditionError(
        absl::StrCat(file->path(), ": has ", status->st_nlink,
                     " names (hard links), want 1: an update takes files of their own"));
  }
  return absl::OkStatus();
}

// Opens the shards that `files` has locked.
absl::StatusOr<ShardReaders> OpenLocked(const ShardSet& set, const ShardFiles& files) {
  absl::StatusOr<ShardReaders> readers = set.OpenUnlocked();
  if (!readers.ok()) return readers;
  for (size_t shard = 0; shard < files.size(); ++shard) {
    const ShardReader& reader = *(*readers)[shard];
    const absl::StatusOr<struct stat> locked = files[shard]->Stat();
    if (!locked.ok()) return locked.status();
    if (reader.file_id() != FileId(locked->st_dev, locked->st_ino)) {
      return absl::AbortedError(absl::StrCat(reader.path(), ": was replaced meanwhile"));
    }
    if (reader.file_bytes() != set.layout.file_bytes()) {
      return absl::DataLossError(absl::StrCat(
          "shard ", shard, ": ", reader.path(), ": length: got ", reader.file_bytes(),
          " bytes, want ", set.layout.file_bytes(), "; nothing was updated: repair first"));
    }
  }
  return readers;
}

// The shards whose files the update writes.
std::vector<uint32_t> WrittenShards(const Layout& layout, const UpdateRange& range) {
  ShardMask written;
  for (uint64_t stripe = range.first_stripe(); stripe < range.end_stripe(); ++stripe) {
    for (const UpdatePiece& piece : range.PiecesOf(stripe)) written.set(piece.shard);
    if (written.count() == layout.geometry().data_shards()) break;
  }
  std::vector<uint32_t> shards;
  for (uint32_t shard = 0; shard < layout.geometry().total_shards(); ++shard) {
    if (written.test(shard) || shard >= layout.geometry().data_shards()) shards.push_back(shard);
  }
  return shards;
}

}  // namespace

absl::StatusOr<UpdatedObject> UpdateObject(client::Coder& coder, const ShardSet& set,
                                           const UpdatePlace& place, const File& source,
                                           const RunOptions& run) {
  const absl::StatusOr<struct stat> source_status = source.Stat();
  if (!source_status.ok()) return source_status.status();
  const auto bytes = static_cast<uint64_t>(source_status->st_size);
  const absl::StatusOr<uint64_t> room = BytesFrom(set.layout, place);
  if (!room.ok()) return room.status();
  if (bytes > *room) {
    return codec::InvalidField(
        "source", absl::StrCat(bytes, " bytes"),
        absl::StrCat("at most ", *room, ": the object keeps its size, and has no more from there"));
  }
  if (absl::Status status = CheckWhole(set); !status.ok()) return status;
  const absl::StatusOr<ShardFiles> files = OpenForChange(set);
  if (!files.ok()) return files.status();
  if (absl::Status status = CheckOneName(*files); !status.ok()) return status;
  if (!JournalsOf(set).empty()) {
    if (absl::Status status = WriteJournal(set, *files, false); !status.ok()) return status;
    if (absl::Status status = RemoveJournals(set); !status.ok()) return status;
  }
  const absl::StatusOr<ShardReaders> readers = OpenLocked(set, *files);
  if (!readers.ok()) return readers.status();
  if (bytes == 0) return UpdatedObject{};

  const absl::StatusOr<std::unique_ptr<JournalWriter>> journal =
      JournalWriter::Create(set, CommonMode(*readers));
  if (!journal.ok()) return journal.status();
  const UpdateRange range(set.layout, place, bytes);
  Updater updater(coder, set, *readers, range, source, run.call(), **journal);
  const absl::Status status =
      ForEachStripe(set.layout, range.first_stripe(), range.end_stripe(), run,
                    [&updater](StripeBuffer& stripe) { return updater.UpdateStripe(stripe); });
  if (!status.ok()) return status;
  if (absl::Status error = (*journal)->Commit(run); !error.ok()) return error;
  if (absl::Status error = WriteJournal(set, *files, true); !error.ok()) return error;
  if (absl::Status error = RemoveJournals(set); !error.ok()) return error;
  return UpdatedObject{bytes, (*journal)->entries(), WrittenShards(set.layout, range)};
}

std::vector<std::string> UnfinishedUpdates(const ShardSet& set) { return JournalsOf(set); }

absl::StatusOr<bool> FinishUpdate(const ShardSet& set) {
  const absl::StatusOr<std::optional<ShardFiles>> files = WriteUnfinished(set);
  if (!files.ok()) return files.status();
  if (!files->has_value()) return false;
  if (AreAllThere(**files)) {
    if (absl::Status status = RemoveJournals(set); !status.ok()) return status;
  }
  return true;
}

}  // namespace parity::shardfile
