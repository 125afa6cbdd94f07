#include "parity/shardfile/shard_set.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "parity/shardfile/file.h"

namespace parity::shardfile {
namespace {

namespace fs = std::filesystem;
using Member = ShardSet::Member;

constexpr char kExtension[] = ".shard";

// A file with a good header.
struct Shard {
  std::string path;
  FileId file_id;
  Header header;
};

// The files of one object by index. At least one is there.
using Shards = std::vector<std::optional<Shard>>;

struct Object {
  Shards shards;
  absl::Status fault;
};

const Shard& FirstOf(const Shards& shards) {
  return **std::find_if(shards.begin(), shards.end(),
                        [](const auto& shard) { return shard.has_value(); });
}

// The files that `path` stands for, in order.
absl::StatusOr<std::vector<std::string>> FilesAt(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  fs::directory_iterator entry(path, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code unknown_type;
    if (entry->path().extension() == kExtension && !entry->is_directory(unknown_type)) {
      files.push_back(entry->path().string());
    }
  }
  if (error) return FileError(path, "list", error.value());
  std::sort(files.begin(), files.end());
  return files;
}

struct Objects {
  std::vector<Object> all;  // in the order of discovery
  std::map<std::array<uint8_t, 16>, size_t> positions;
};

void Add(const Shard& shard, Objects& objects) {
  const ObjectId& id = shard.header.object_id;
  const Layout& layout = shard.header.layout;
  const auto [position, is_new] = objects.positions.emplace(id.bytes, objects.all.size());
  if (is_new) objects.all.push_back({Shards(layout.geometry().total_shards()), absl::OkStatus()});
  auto& [shards, fault] = objects.all[position->second];
  if (const Shard& other = is_new ? shard : FirstOf(shards); other.header.layout != layout) {
    fault.Update(absl::DataLossError(absl::StrCat(other.path, " and ", shard.path,
                                                  " are shards of object ", id.ToString(),
                                                  " but disagree about its code or its sizes")));
    return;
  }
  std::optional<Shard>& place = shards[shard.header.index];
  if (!place) {
    place = shard;
  } else if (place->file_id != shard.file_id) {
    fault.Update(absl::InvalidArgumentError(absl::StrCat(place->path, " and ", shard.path,
                                                         " are both shard ", shard.header.index,
                                                         " of object ", id.ToString())));
  }
}

// A missing shard belongs beside the first file there is, under the same base name.
std::string PlaceOf(uint32_t index, const Shards& shards) {
  const Shard& first = FirstOf(shards);
  const fs::path path = first.path;
  const std::string name = path.filename().string();
  absl::string_view base = name;
  const std::string id = first.header.object_id.ToString();
  if (!absl::ConsumeSuffix(&base, ShardFileName("", first.header.index))) base = id;
  return (path.parent_path() / ShardFileName(base, index)).string();
}

ShardSet MakeSet(const Object& object) {
  const Shards& shards = object.shards;
  const Header& header = FirstOf(shards).header;
  ShardSet set{header.object_id, header.layout, {}, object.fault};
  for (uint32_t index = 0; index < shards.size(); ++index) {
    if (shards[index]) {
      set.members.push_back({Member::State::kReadable, shards[index]->path, absl::OkStatus()});
    } else {
      const std::string path = PlaceOf(index, shards);
      set.members.push_back(
          {Member::State::kMissing, path, absl::NotFoundError(absl::StrCat(path, ": missing"))});
    }
  }
  return set;
}

bool SamePlace(const std::string& a, const std::string& b) {
  std::error_code error;
  return fs::absolute(a, error).lexically_normal() == fs::absolute(b, error).lexically_normal();
}

absl::string_view NameIn(absl::string_view path) { return path.substr(path.rfind('/') + 1); }

// The missing member whose file `path` must be by its place, or else by its name if that leaves no
// choice. Null if there is none.
Member* MemberFor(const std::string& path, std::vector<ShardSet>& sets) {
  std::vector<Member*> namesakes;
  for (ShardSet& set : sets) {
    for (Member& member : set.members) {
      if (member.state != Member::State::kMissing || NameIn(member.path) != NameIn(path)) continue;
      if (SamePlace(member.path, path)) return &member;
      namesakes.push_back(&member);
    }
  }
  return namesakes.size() == 1 ? namesakes.front() : nullptr;
}

// What is wrong with a file, rather than with this process or the system.
bool IsOfTheFile(const absl::Status& error) {
  return absl::IsDataLoss(error) || absl::IsNotFound(error) || absl::IsUnimplemented(error) ||
         absl::IsPermissionDenied(error) || absl::IsInvalidArgument(error);
}

Member::State StateFor(const absl::Status& fault) {
  if (absl::IsDataLoss(fault)) return Member::State::kUnreadable;
  return absl::IsNotFound(fault) ? Member::State::kMissing : Member::State::kRefused;
}

// Reads the headers of the files at `path`.
absl::Status Look(const std::string& path, Objects& objects,
                  std::vector<FoundShards::Stray>& unreadable) {
  const absl::StatusOr<std::vector<std::string>> files = FilesAt(path);
  if (!files.ok()) return files.status();
  for (const std::string& file : *files) {
    const absl::StatusOr<ShardReader> reader = ShardReader::Open(file);
    if (reader.ok()) {
      Add({file, reader->file_id(), reader->header()}, objects);
    } else if (!IsOfTheFile(reader.status())) {
      return reader.status();
    } else if (std::none_of(unreadable.begin(), unreadable.end(),
                            [&file](const auto& seen) { return SamePlace(seen.path, file); })) {
      unreadable.push_back({file, reader.status()});
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::string ShardFileName(absl::string_view base, uint32_t index) {
  return absl::StrFormat("%s.%03d%s", base, index, kExtension);
}

mode_t CommonMode(const ShardReaders& readers) {
  mode_t mode = 07777;
  for (const auto& reader : readers) {
    if (reader) mode &= reader->mode();
  }
  return mode;
}

absl::StatusOr<ShardReaders> ShardSet::Open() const {
  absl::StatusOr<ShardReaders> readers = OpenUnlocked();
  if (!readers.ok()) return readers;
  for (const std::optional<ShardReader>& reader : *readers) {
    if (!reader) continue;
    if (absl::Status status = reader->Take(File::Lock::kShared); !status.ok()) return status;
  }
  return readers;
}

absl::StatusOr<ShardReaders> ShardSet::OpenUnlocked() const {
  if (!fault.ok()) return fault;
  ShardReaders readers(members.size());
  for (uint32_t index = 0; index < members.size(); ++index) {
    if (members[index].state != Member::State::kReadable) continue;
    absl::StatusOr<ShardReader> reader = ShardReader::Open(members[index].path);
    if (!reader.ok()) return reader.status();
    const Header& header = reader->header();
    if (header.object_id != object_id || header.layout != layout || header.index != index) {
      return absl::DataLossError(
          absl::StrCat(members[index].path, ": has become another shard's file"));
    }
    readers[index].emplace(*std::move(reader));
  }
  return readers;
}

absl::StatusOr<FoundShards> FindShards(absl::Span<const std::string> paths) {
  Objects objects;
  std::vector<FoundShards::Stray> unreadable;
  for (const std::string& path : paths) {
    if (absl::Status status = Look(path, objects, unreadable); !status.ok()) return status;
  }
  FoundShards found;
  for (const Object& object : objects.all) found.sets.push_back(MakeSet(object));
  for (FoundShards::Stray& stray : unreadable) {
    Member* const member = MemberFor(stray.path, found.sets);
    if (member != nullptr) {
      *member = {StateFor(stray.fault), stray.path, stray.fault};
    } else if (absl::IsNotFound(stray.fault)) {
      return stray.fault;
    } else {
      found.strays.push_back(std::move(stray));
    }
  }
  if (found.sets.empty() && found.strays.empty()) {
    return absl::NotFoundError(absl::StrCat(absl::StrJoin(paths, ", "), ": no shard files"));
  }
  return found;
}

}  // namespace parity::shardfile
