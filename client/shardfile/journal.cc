#include "journal.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "little_endian.h"
#include "parity/checksum/crc32c.h"

namespace parity::shardfile {
namespace {

namespace fs = std::filesystem;

constexpr std::array<uint8_t, 8> kMagic = {0x89, 'P', 'A', 'R', 'J', 'R', 'N', '\n'};
constexpr uint32_t kVersion = 1;

// Offsets in the header.
constexpr size_t kVersionAt = 8;
constexpr size_t kHeaderBytesAt = 12;
constexpr size_t kObjectIdAt = 16;
constexpr size_t kEntriesAt = 32;
constexpr size_t kFileBytesAt = 40;
constexpr size_t kJournalHeaderBytes = 64;
// Offsets in an entry's header.
constexpr size_t kStripeAt = 0;
constexpr size_t kShardAt = 8;
constexpr size_t kBlockAt = 12;
constexpr size_t kBytesAt = 16;
constexpr size_t kOldChecksumAt = 20;
constexpr size_t kNewChecksumAt = 24;
constexpr size_t kEntryHeaderBytes = 32;

// Either header ends with the checksum of what is before.
template <size_t kBytes>
void Seal(std::array<uint8_t, kBytes>& header) {
  const auto covered = absl::MakeConstSpan(header).first(kBytes - kChecksumBytes);
  StoreLittleEndian(checksum::Crc32c(covered), header.data() + covered.size());
}

template <size_t kBytes>
bool IsSealed(const std::array<uint8_t, kBytes>& header) {
  const auto covered = absl::MakeConstSpan(header).first(kBytes - kChecksumBytes);
  return LoadLittleEndian<uint32_t>(header.data() + covered.size()) == checksum::Crc32c(covered);
}

// The path without links, as far as there are files; as it is if that cannot be told.
fs::path WithoutLinks(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error) return path;
  const fs::path real = fs::weakly_canonical(absolute, error);
  return error ? absolute : real;
}

// One for every directory that has a shard itself, rather than a link to it: so all who find the
// shard find the journal.
std::vector<std::string> JournalPaths(const ShardSet& set) {
  std::vector<std::string> paths;
  std::set<fs::path> seen;
  for (const ShardSet::Member& member : set.members) {
    const fs::path real = WithoutLinks(member.path).parent_path();
    if (!seen.insert(real).second) continue;
    const std::string named = DirectoryOf(member.path);
    const fs::path directory = WithoutLinks(named) == real ? fs::path(named) : real;
    paths.push_back(
        (directory / absl::StrCat("parity-", set.object_id.ToString(), ".journal")).string());
  }
  return paths;
}

std::string TemporaryOf(const std::string& journal) {
  const fs::path path(journal);
  return (path.parent_path() / absl::StrCat(".", path.filename().string(), ".tmp")).string();
}

// What a killed process has left under the name of a journal's temporary file. One that is being
// written is locked.
absl::Status RemoveTemporary(const std::string& path) {
  const absl::StatusOr<File> file = File::OpenForChange(path);
  if (!file.ok()) return absl::IsNotFound(file.status()) ? absl::OkStatus() : file.status();
  if (absl::Status status = file->Take(File::Lock::kExclusive); !status.ok()) return status;
  if (unlink(path.c_str()) != 0) return FileError(path, "remove", errno);
  return absl::OkStatus();
}

absl::Status Damaged(const File& journal) {
  return absl::DataLossError(
      absl::StrCat(journal.path(),
                   ": the journal of an interrupted update is damaged, and shards may have part "
                   "of it; when it is removed, verify shows which"));
}

using EntryWork = std::function<absl::Status(const JournalEntry& entry)>;

// Calls `work` for every entry; what it is given is as it was written. DATA_LOSS if something is
// not, or the error of `work`.
absl::Status ForEachEntry(const File& journal, const ShardSet& set, const EntryWork& work) {
  const Layout& layout = set.layout;
  const absl::StatusOr<struct stat> status = journal.Stat();
  if (!status.ok()) return status.status();
  std::array<uint8_t, kJournalHeaderBytes> header;
  if (!journal.ReadAt(0, absl::MakeSpan(header)).ok() || !IsSealed(header) ||
      !std::equal(kMagic.begin(), kMagic.end(), header.begin()) ||
      !std::equal(set.object_id.bytes.begin(), set.object_id.bytes.end(),
                  header.begin() + kObjectIdAt) ||
      LoadLittleEndian<uint64_t>(header.data() + kFileBytesAt) !=
          static_cast<uint64_t>(status->st_size)) {
    return Damaged(journal);
  }
  if (const auto version = LoadLittleEndian<uint32_t>(header.data() + kVersionAt);
      version != kVersion) {
    return absl::UnimplementedError(
        absl::StrCat(journal.path(), ": version: got ", version, ", want ", kVersion));
  }
  uint64_t at = kJournalHeaderBytes;
  std::vector<uint8_t> contents(layout.block_bytes());
  for (auto left = LoadLittleEndian<uint64_t>(header.data() + kEntriesAt); left > 0; --left) {
    std::array<uint8_t, kEntryHeaderBytes> fields;
    if (!journal.ReadAt(at, absl::MakeSpan(fields)).ok() || !IsSealed(fields)) {
      return Damaged(journal);
    }
    const auto load = [&fields](size_t offset) {
      return LoadLittleEndian<uint32_t>(fields.data() + offset);
    };
    JournalEntry entry{LoadLittleEndian<uint64_t>(fields.data() + kStripeAt),
                       load(kShardAt),
                       load(kBlockAt),
                       load(kOldChecksumAt),
                       {}};
    if (entry.stripe >= layout.stripes() || entry.shard >= layout.geometry().total_shards() ||
        entry.block >= layout.blocks(entry.stripe) ||
        load(kBytesAt) != layout.block_bytes(entry.stripe, entry.block)) {
      return Damaged(journal);
    }
    const auto block = absl::MakeSpan(contents).first(load(kBytesAt));
    if (!journal.ReadAt(at + kEntryHeaderBytes, block).ok() ||
        checksum::Crc32c(block) != load(kNewChecksumAt)) {
      return Damaged(journal);
    }
    entry.contents = block;
    if (absl::Status error = work(entry); !error.ok()) return error;
    at += kEntryHeaderBytes + block.size();
  }
  return absl::OkStatus();
}

// The first journal that is undamaged.
absl::StatusOr<File> OpenIntact(const std::vector<std::string>& paths, const ShardSet& set) {
  absl::Status first_error;
  for (const std::string& path : paths) {
    absl::StatusOr<File> journal = File::OpenForReading(path);
    const absl::Status status =
        journal.ok()
            ? ForEachEntry(*journal, set, [](const JournalEntry&) { return absl::OkStatus(); })
            : journal.status();
    if (status.ok()) return journal;
    first_error.Update(status);
  }
  return first_error;
}

// Whether all shards have, where the journal has a block, what they had before the update, what
// they shall have, or something in between, of which the checksum does not match.
absl::Status CheckFits(const File& journal, const ShardSet& set, const ShardFiles& files) {
  ShardReaders readers(files.size());
  for (size_t shard = 0; shard < files.size(); ++shard) {
    if (!files[shard]) continue;
    absl::StatusOr<ShardReader> reader = ShardReader::Open(set.members[shard].path);
    if (!reader.ok()) return reader.status();
    readers[shard].emplace(*std::move(reader));
  }
  std::vector<uint8_t> block(set.layout.block_bytes());
  return ForEachEntry(journal, set, [&](const JournalEntry& entry) {
    if (!readers[entry.shard]) return absl::OkStatus();
    const CellState state =
        readers[entry.shard]->ReadBlocks(entry.stripe, entry.block, 1, block.data());
    if (!state.bad_blocks.empty()) return absl::OkStatus();
    const uint32_t stored =
        checksum::Crc32c(absl::MakeConstSpan(block).first(entry.contents.size()));
    if (stored == entry.old_checksum || stored == checksum::Crc32c(entry.contents)) {
      return absl::OkStatus();
    }
    return absl::DataLossError(absl::StrCat(
        journal.path(), ": the journal of an interrupted update does not fit shard ", entry.shard,
        ", ", set.members[entry.shard].path, ", which was changed since; remove one of them"));
  });
}

}  // namespace

std::vector<std::string> JournalsOf(const ShardSet& set) {
  std::vector<std::string> journals;
  for (const std::string& path : JournalPaths(set)) {
    if (access(path.c_str(), F_OK) == 0) journals.push_back(path);
  }
  return journals;
}

absl::Status UnfinishedUpdate(const std::string& journal) {
  return absl::DataLossError(
      absl::StrCat(journal, ": an update was interrupted: repair finishes it"));
}

absl::StatusOr<std::unique_ptr<JournalWriter>> JournalWriter::Create(const ShardSet& set,
                                                                     mode_t mode) {
  std::unique_ptr<JournalWriter> writer(new JournalWriter(set));
  writer->end_ = kJournalHeaderBytes;
  for (const std::string& path : JournalPaths(set)) {
    const std::string temporary = TemporaryOf(path);
    if (absl::Status status = RemoveTemporary(temporary); !status.ok()) return status;
    absl::StatusOr<std::unique_ptr<OutputFile>> file =
        OutputFile::CreateThrough(temporary, path, mode, Existing::kRefuse);
    if (!file.ok()) return file.status();
    writer->files_.push_back(*std::move(file));
  }
  return writer;
}

absl::Status JournalWriter::Append(const std::vector<JournalEntry>& entries) {
  std::vector<uint8_t> bytes;
  for (const JournalEntry& entry : entries) {
    std::array<uint8_t, kEntryHeaderBytes> fields{};
    const auto store = [&fields](size_t offset, uint32_t value) {
      StoreLittleEndian(value, fields.data() + offset);
    };
    StoreLittleEndian(entry.stripe, fields.data() + kStripeAt);
    store(kShardAt, entry.shard);
    store(kBlockAt, entry.block);
    store(kBytesAt, static_cast<uint32_t>(entry.contents.size()));
    store(kOldChecksumAt, entry.old_checksum);
    store(kNewChecksumAt, checksum::Crc32c(entry.contents));
    Seal(fields);
    bytes.insert(bytes.end(), fields.begin(), fields.end());
    bytes.insert(bytes.end(), entry.contents.begin(), entry.contents.end());
  }
  const uint64_t at = end_.fetch_add(bytes.size());
  entries_ += entries.size();
  for (const auto& file : files_) {
    if (absl::Status status = file->WriteAt(at, bytes); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status JournalWriter::Commit(const RunOptions& run) {
  std::array<uint8_t, kJournalHeaderBytes> header{};
  std::copy(kMagic.begin(), kMagic.end(), header.begin());
  StoreLittleEndian(kVersion, header.data() + kVersionAt);
  StoreLittleEndian(static_cast<uint32_t>(kJournalHeaderBytes), header.data() + kHeaderBytesAt);
  std::copy(set_.object_id.bytes.begin(), set_.object_id.bytes.end(), header.begin() + kObjectIdAt);
  StoreLittleEndian(entries_.load(), header.data() + kEntriesAt);
  StoreLittleEndian(end_.load(), header.data() + kFileBytesAt);
  Seal(header);
  absl::Status status;
  for (const auto& file : files_) status.Update(file->WriteAt(0, header));
  status.Update(status.ok() ? OutputFile::Commit(files_, run) : status);
  if (status.ok()) return status;
  for (const auto& file : files_) unlink(file->path().c_str());
  return status;
}

absl::StatusOr<ShardFiles> OpenForChange(const ShardSet& set) {
  ShardFiles files(set.members.size());
  for (size_t shard = 0; shard < files.size(); ++shard) {
    if (set.members[shard].state != ShardSet::Member::State::kReadable) continue;
    absl::StatusOr<File> file = File::OpenForChange(set.members[shard].path);
    if (!file.ok()) return file.status();
    if (absl::Status status = file->Take(File::Lock::kExclusive); !status.ok()) return status;
    files[shard].emplace(*std::move(file));
  }
  return files;
}

bool AreAllThere(const ShardFiles& files) {
  return std::all_of(files.begin(), files.end(), [](const auto& file) { return file.has_value(); });
}

absl::Status WriteJournal(const ShardSet& set, const ShardFiles& files, bool is_new) {
  const absl::StatusOr<File> journal = OpenIntact(JournalsOf(set), set);
  if (!journal.ok()) return journal.status();
  if (!is_new) {
    if (absl::Status status = CheckFits(*journal, set, files); !status.ok()) return status;
  }
  const Layout& layout = set.layout;
  absl::Status written = ForEachEntry(*journal, set, [&](const JournalEntry& entry) {
    const std::optional<File>& file = files[entry.shard];
    if (!file) return absl::OkStatus();
    std::array<uint8_t, kChecksumBytes> checksum;
    StoreLittleEndian(checksum::Crc32c(entry.contents), checksum.data());
    if (absl::Status status = file->WriteAt(
            layout.record_offset(entry.stripe) + uint64_t{entry.block} * layout.block_bytes(),
            entry.contents);
        !status.ok()) {
      return status;
    }
    return file->WriteAt(
        layout.checksum_offset(entry.stripe) + uint64_t{entry.block} * kChecksumBytes, checksum);
  });
  if (!written.ok()) return written;
  for (const std::optional<File>& file : files) {
    if (!file) continue;
    if (absl::Status status = file->Sync(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status RemoveJournals(const ShardSet& set) {
  for (const std::string& path : JournalsOf(set)) {
    if (unlink(path.c_str()) != 0) return FileError(path, "remove", errno);
    if (absl::Status status = SyncDirectory(DirectoryOf(path)); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<ShardFiles>> WriteUnfinished(const ShardSet& set) {
  if (!set.fault.ok()) return set.fault;
  if (JournalsOf(set).empty()) return std::nullopt;
  for (size_t shard = 0; shard < set.members.size(); ++shard) {
    const ShardSet::Member& member = set.members[shard];
    if (member.state != ShardSet::Member::State::kRefused) continue;
    return absl::Status(member.fault.code(),
                        absl::StrCat("shard ", shard, ": ", member.fault.message(),
                                     "; without it the interrupted update cannot be finished"));
  }
  absl::StatusOr<ShardFiles> files = OpenForChange(set);
  if (!files.ok()) return files.status();
  if (JournalsOf(set).empty()) return std::nullopt;  // another process has finished it
  if (absl::Status status = WriteJournal(set, *files, false); !status.ok()) return status;
  return std::optional<ShardFiles>(*std::move(files));
}

absl::Status CheckInPlace(const ShardSet& set, const std::string& directory) {
  std::set<fs::path> places;
  for (const ShardSet::Member& member : set.members) {
    if (member.state == ShardSet::Member::State::kReadable) {
      places.insert(WithoutLinks(member.path).parent_path());
    }
  }
  for (size_t shard = 0; shard < set.members.size(); ++shard) {
    const ShardSet::Member& member = set.members[shard];
    if (member.state == ShardSet::Member::State::kReadable) continue;
    const fs::path place = WithoutLinks(DirectoryOf(member.path));
    if (places.count(place) != 0 && (directory.empty() || WithoutLinks(directory) == place)) {
      continue;
    }
    return absl::FailedPreconditionError(absl::StrCat(
        JournalsOf(set).front(), ": an update was interrupted, and shard ", shard,
        " does not have it: repair that shard beside the others, in the directory of the journal"));
  }
  return absl::OkStatus();
}

void RemoveTemporaries(const ShardSet& set) {
  const std::vector<std::string> journals = JournalPaths(set);
  if (std::none_of(journals.begin(), journals.end(), [](const std::string& journal) {
        return access(TemporaryOf(journal).c_str(), F_OK) == 0;
      })) {
    return;
  }
  const absl::StatusOr<ShardFiles> files = OpenForChange(set);
  if (!files.ok()) return;
  for (const std::string& journal : journals) RemoveTemporary(TemporaryOf(journal)).IgnoreError();
}

}  // namespace parity::shardfile
