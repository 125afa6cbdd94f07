// A regular file, read and written at offsets.
#ifndef PARITY_SHARDFILE_FILE_H_
#define PARITY_SHARDFILE_FILE_H_

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace parity::shardfile {

// Owns the descriptor. Const functions are thread-safe. Errors name the path: NOT_FOUND,
// ALREADY_EXISTS, PERMISSION_DENIED, RESOURCE_EXHAUSTED (full disk, quota, too many open files),
// else UNKNOWN.
class File {
 public:
  // INVALID_ARGUMENT if `path` is not a regular file. Follows links.
  static absl::StatusOr<File> OpenForReading(const std::string& path);
  // To be written in place. Errors as above.
  static absl::StatusOr<File> OpenForChange(const std::string& path);
  // A file that was not there before, with permissions `mode` less the umask.
  static absl::StatusOr<File> CreateNew(const std::string& path, mode_t mode);

  File(File&& other) noexcept;
  File& operator=(File&&) = delete;
  ~File();

  const std::string& path() const { return path_; }

  absl::StatusOr<struct stat> Stat() const;
  // Fills `out`. DATA_LOSS if the file ends before or the medium cannot be read.
  absl::Status ReadAt(uint64_t offset, absl::Span<uint8_t> out) const;
  absl::Status WriteAt(uint64_t offset, absl::Span<const uint8_t> bytes) const;
  // Nobody else may have the file open under a lock, or none but readers, until this object is
  // gone. ABORTED if somebody has; an error too where files cannot be locked.
  enum class Lock { kShared, kExclusive };
  absl::Status Take(Lock lock) const;
  // Returns when what was written is on the medium.
  absl::Status Sync() const;

 private:
  static absl::StatusOr<File> Open(const std::string& path, int flags);

  File(int descriptor, const std::string& path) : descriptor_(descriptor), path_(path) {}

  int descriptor_;
  std::string path_;
};

// "<path>: <action>: <what error_number means>", for example "a/b: open: Permission denied".
absl::Status FileError(const std::string& path, const char* action, int error_number);

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_FILE_H_
