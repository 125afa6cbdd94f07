#include "parity/shardfile/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"

namespace parity::shardfile {
namespace {

absl::StatusCode CodeFor(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return absl::StatusCode::kNotFound;
    case EEXIST:
      return absl::StatusCode::kAlreadyExists;
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::StatusCode::kPermissionDenied;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
      return absl::StatusCode::kResourceExhausted;
    default:
      return absl::StatusCode::kUnknown;
  }
}

}  // namespace

absl::Status FileError(const std::string& path, const char* action, int error_number) {
  const absl::Status error = absl::ErrnoToStatus(error_number, absl::StrCat(path, ": ", action));
  return absl::Status(CodeFor(error_number), error.message());
}

absl::StatusOr<File> File::OpenForReading(const std::string& path) { return Open(path, O_RDONLY); }

absl::StatusOr<File> File::OpenForChange(const std::string& path) { return Open(path, O_RDWR); }

absl::StatusOr<File> File::Open(const std::string& path, int flags) {
  // Without O_NONBLOCK, opening a FIFO would wait for a writer.
  const int descriptor = open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return FileError(path, "open", errno);
  File file(descriptor, path);
  const absl::StatusOr<struct stat> status = file.Stat();
  if (!status.ok()) return status.status();
  if (!S_ISREG(status->st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": not a regular file"));
  }
  return file;
}

absl::StatusOr<File> File::CreateNew(const std::string& path, mode_t mode) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (descriptor < 0) return FileError(path, "create", errno);
  return File(descriptor, path);
}

File::File(File&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

File::~File() {
  if (descriptor_ >= 0) close(descriptor_);
}

absl::StatusOr<struct stat> File::Stat() const {
  struct stat status;
  if (fstat(descriptor_, &status) != 0) return FileError(path_, "stat", errno);
  return status;
}

absl::Status File::ReadAt(uint64_t offset, absl::Span<uint8_t> out) const {
  while (!out.empty()) {
    const ssize_t got = pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0) {
      const int error_number = errno;
      if (error_number == EINTR) continue;
      const absl::Status error = FileError(path_, "read", error_number);
      return error_number == EIO ? absl::DataLossError(error.message()) : error;
    }
    if (got == 0) {
      return absl::DataLossError(
          absl::StrCat(path_, ": ends at ", offset, ", want ", out.size(), " bytes more"));
    }
    offset += static_cast<uint64_t>(got);
    out.remove_prefix(static_cast<size_t>(got));
  }
  return absl::OkStatus();
}

absl::Status File::WriteAt(uint64_t offset, absl::Span<const uint8_t> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0) {
      if (errno == EINTR) continue;
      return FileError(path_, "write", errno);
    }
    offset += static_cast<uint64_t>(got);
    bytes.remove_prefix(static_cast<size_t>(got));
  }
  return absl::OkStatus();
}

absl::Status File::Take(Lock lock) const {
  const int operation = lock == Lock::kShared ? LOCK_SH : LOCK_EX;
  if (flock(descriptor_, operation | LOCK_NB) == 0) return absl::OkStatus();
  if (errno != EWOULDBLOCK) return FileError(path_, "lock", errno);
  return absl::AbortedError(absl::StrCat(path_, ": is being changed or read by another process"));
}

absl::Status File::Sync() const {
  if (fsync(descriptor_) != 0) return FileError(path_, "sync", errno);
  return absl::OkStatus();
}

}  // namespace parity::shardfile
