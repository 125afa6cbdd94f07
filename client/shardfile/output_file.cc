#include "parity/shardfile/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "parity/shardfile/object_id.h"

namespace parity::shardfile {
namespace {

// The temporary files of this process. They are made, renamed and removed under the mutex, so that
// AbandonAll sees all of them and no file half way.
struct Temporaries {
  std::mutex mutex;
  std::set<std::string> paths;
};

Temporaries& AllTemporaries() {
  static Temporaries& all = *new Temporaries;
  return all;
}

// Whether a file may be renamed to `path`.
absl::Status MayTake(const std::string& path, Existing existing) {
  struct stat status;
  if (existing == Existing::kRefuse && lstat(path.c_str(), &status) == 0) {
    return FileError(path, "create", EEXIST);
  }
  // Not even root may put a file in the place of /dev/null, whatever the system allows.
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": exists and is not a regular file"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SyncDirectory(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return FileError(path, "open", errno);
  const int error_number = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  if (error_number != 0) return FileError(path, "sync", error_number);
  return absl::OkStatus();
}

std::string DirectoryOf(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  return directory.empty() ? "." : directory;
}

absl::StatusOr<OutputDirectory> OutputDirectory::Open(const std::string& path) {
  if (mkdir(path.c_str(), 0777) == 0) {
    OutputDirectory made(path);
    if (absl::Status status = SyncDirectory(DirectoryOf(path)); !status.ok()) return status;
    return made;
  }
  std::error_code error;
  if (errno == EEXIST && std::filesystem::is_directory(path, error)) return OutputDirectory("");
  return FileError(path, "make directory", errno);
}

OutputDirectory::OutputDirectory(OutputDirectory&& other) noexcept
    : made_(std::exchange(other.made_, std::string())) {}

OutputDirectory::~OutputDirectory() {
  if (!made_.empty()) rmdir(made_.c_str());  // which fails unless it is empty
}

OutputFile::OutputFile(const std::string& path, Existing existing, File temporary)
    : path_(path), existing_(existing), temporary_(std::move(temporary)) {}

OutputFile::~OutputFile() {
  if (renamed_) return;
  Temporaries& all = AllTemporaries();
  const std::lock_guard<std::mutex> lock(all.mutex);
  unlink(temporary_.path().c_str());
  all.paths.erase(temporary_.path());
}

void OutputFile::AbandonAll() {
  Temporaries& all = AllTemporaries();
  all.mutex.lock();  // for good
  for (const std::string& path : all.paths) unlink(path.c_str());
}

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::Create(const std::string& path, mode_t mode,
                                                               Existing existing) {
  const absl::StatusOr<ObjectId> name = ObjectId::Random();
  if (!name.ok()) return name.status();
  return Make(absl::StrCat(DirectoryOf(path), "/.parity-", name->ToString(), ".tmp"), path, mode,
              existing);
}

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::CreateThrough(
    const std::string& temporary_path, const std::string& path, mode_t mode, Existing existing) {
  absl::StatusOr<std::unique_ptr<OutputFile>> file = Make(temporary_path, path, mode, existing);
  if (!file.ok()) return file;
  if (absl::Status error = (*file)->temporary_.Take(File::Lock::kExclusive); !error.ok()) {
    return error;
  }
  const absl::StatusOr<struct stat> status = (*file)->temporary_.Stat();
  if (!status.ok()) return status.status();
  if (status->st_nlink == 0) {  // before it was locked
    return absl::AbortedError(absl::StrCat(temporary_path, ": was removed by another process"));
  }
  return file;
}

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::Make(const std::string& temporary_path,
                                                             const std::string& path, mode_t mode,
                                                             Existing existing) {
  if (absl::Status status = MayTake(path, existing); !status.ok()) return status;
  Temporaries& all = AllTemporaries();
  const std::lock_guard<std::mutex> lock(all.mutex);
  absl::StatusOr<File> temporary = File::CreateNew(temporary_path, (mode & 0666) | 0600);
  if (!temporary.ok()) return temporary.status();
  all.paths.insert(temporary->path());
  return std::unique_ptr<OutputFile>(new OutputFile(path, existing, *std::move(temporary)));
}

absl::Status OutputFile::Commit(absl::Span<const std::unique_ptr<OutputFile>> files,
                                const RunOptions& run) {
  std::set<std::string> directories;
  for (const auto& file : files) {
    if (absl::Status status = file->temporary_.Sync(); !status.ok()) return status;
    if (run.is_cancelled()) return absl::CancelledError("cancelled");
    directories.insert(DirectoryOf(file->path_));
  }
  if (absl::Status status = RenameAll(files); !status.ok()) return status;
  for (const std::string& directory : directories) {
    if (absl::Status status = SyncDirectory(directory); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status OutputFile::RenameAll(absl::Span<const std::unique_ptr<OutputFile>> files) {
  Temporaries& all = AllTemporaries();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (const auto& file : files) {
    if (absl::Status status = file->Rename(); !status.ok()) return status;
    all.paths.erase(file->temporary_.path());
  }
  return absl::OkStatus();
}

absl::Status OutputFile::Rename() {
  const char* from = temporary_.path().c_str();
  const char* to = path_.c_str();
  if (existing_ == Existing::kReplace) {
    if (rename(from, to) != 0) return FileError(path_, "create", errno);
  } else if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) != 0) {
    // EINVAL: a file system, for example NFS, that cannot do so. A link never replaces anything.
    if (errno != EINVAL || link(from, to) != 0) return FileError(path_, "create", errno);
    unlink(from);
  }
  renamed_ = true;
  return absl::OkStatus();
}

}  // namespace parity::shardfile
