#include "parity/shardfile/encode.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "parity/shardfile/file.h"
#include "parity/shardfile/header.h"
#include "parity/shardfile/shard_reader.h"
#include "parity/shardfile/shard_set.h"
#include "stripe_pool.h"

namespace parity::shardfile {
namespace {

using OutputFiles = std::vector<std::unique_ptr<OutputFile>>;

absl::Status EncodeStripe(client::Coder& coder, const Layout& layout, const File& source,
                          const OutputFiles& files, const RunOptions& run, StripeBuffer& stripe) {
  const uint32_t k = layout.geometry().data_shards();
  const absl::Span<uint8_t> data = stripe.data();
  const uint32_t data_bytes = layout.data_bytes(stripe.stripe());
  if (absl::Status status =
          source.ReadAt(layout.object_offset(stripe.stripe()), data.first(data_bytes));
      !status.ok()) {
    // DATA_LOSS is what shards suffer.
    return absl::IsDataLoss(status) ? absl::UnknownError(status.message()) : status;
  }
  std::fill(data.begin() + data_bytes, data.end(), 0);

  std::vector<uint8_t*> parity;
  for (uint32_t shard = k; shard < files.size(); ++shard) parity.push_back(stripe.cell(shard));
  if (absl::Status status = coder.Encode(layout.geometry(), stripe.cells(0, k), stripe.cell_bytes(),
                                         parity, run.call());
      !status.ok()) {
    return status;
  }
  for (uint32_t shard = 0; shard < files.size(); ++shard) {
    if (absl::Status status = stripe.Write(shard, *files[shard]); !status.ok()) return status;
  }
  return absl::OkStatus();
}

bool SameContents(const struct stat& before, const struct stat& after) {
  return before.st_size == after.st_size && before.st_mtim.tv_sec == after.st_mtim.tv_sec &&
         before.st_mtim.tv_nsec == after.st_mtim.tv_nsec;
}

using ObjectIds = std::set<std::array<uint8_t, 16>>;

// Of the shard files among these.
ObjectIds ObjectsOf(const std::vector<std::string>& paths) {
  ObjectIds ids;
  for (const std::string& path : paths) {
    const absl::StatusOr<ShardReader> shard = ShardReader::Open(path);
    if (shard.ok()) ids.insert(shard->header().object_id.bytes);
  }
  return ids;
}

// Removes the shard files of these objects that have such names from index `first` on.
absl::Status RemoveFrom(uint32_t first, const std::string& directory, const std::string& name,
                        const ObjectIds& objects, std::vector<std::string>& removed) {
  for (uint32_t index = first; index < codec::Geometry::kMaxShards; ++index) {
    const std::string path = std::filesystem::path(directory) / ShardFileName(name, index);
    struct stat status;
    if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    const absl::StatusOr<ShardReader> shard = ShardReader::Open(path);
    if (!shard.ok() || objects.count(shard->header().object_id.bytes) == 0) continue;
    if (unlink(path.c_str()) != 0) return FileError(path, "remove", errno);
    removed.push_back(path);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<EncodedObject> EncodeObject(client::Coder& coder, const codec::Geometry& geometry,
                                           const std::string& source,
                                           const EncodeOptions& options) {
  const absl::StatusOr<File> file = File::OpenForReading(source);
  if (!file.ok()) return file.status();
  const absl::StatusOr<struct stat> before = file->Stat();
  if (!before.ok()) return before.status();
  const uint32_t cell_bytes =
      options.cell_bytes == 0 ? DefaultCellBytes(geometry) : options.cell_bytes;
  const absl::StatusOr<Layout> layout = Layout::Make(geometry, options.block_bytes, cell_bytes,
                                                     static_cast<uint64_t>(before->st_size));
  if (!layout.ok()) return layout.status();
  const absl::StatusOr<ObjectId> id = ObjectId::Random();
  if (!id.ok()) return id.status();

  const std::string directory = options.directory.empty() ? DirectoryOf(source) : options.directory;
  const absl::StatusOr<OutputDirectory> made = OutputDirectory::Open(directory);
  if (!made.ok()) return made.status();
  EncodedObject object{*id, *layout, {}, {}};
  OutputFiles files;
  const std::string name = std::filesystem::path(source).filename().string();
  for (uint32_t index = 0; index < geometry.total_shards(); ++index) {
    const std::string path = std::filesystem::path(directory) / ShardFileName(name, index);
    absl::StatusOr<std::unique_ptr<OutputFile>> output =
        OutputFile::Create(path, before->st_mode, options.existing);
    if (!output.ok()) return output.status();
    if (absl::Status status = (*output)->WriteAt(0, EncodeHeader({*id, *layout, index}));
        !status.ok()) {
      return status;
    }
    files.push_back(*std::move(output));
    object.paths.push_back(path);
  }

  const absl::Status encoded =
      ForEachStripe(*layout, 0, layout->stripes(), options.run, [&](StripeBuffer& stripe) {
        return EncodeStripe(coder, *layout, *file, files, options.run, stripe);
      });
  const absl::StatusOr<struct stat> after = file->Stat();
  if (!after.ok()) return after.status();
  if (!SameContents(*before, *after)) {
    return absl::AbortedError(absl::StrCat(source, ": has changed while it was being encoded"));
  }
  if (!encoded.ok()) return encoded;
  const ObjectIds replaced = ObjectsOf(object.paths);
  if (absl::Status status = OutputFile::Commit(files, options.run); !status.ok()) return status;
  if (options.existing == Existing::kReplace) {
    const absl::Status status =
        RemoveFrom(geometry.total_shards(), directory, name, replaced, object.removed);
    if (!status.ok()) return status;
  }
  return object;
}

}  // namespace parity::shardfile
