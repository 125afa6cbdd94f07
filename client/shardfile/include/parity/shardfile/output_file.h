// A file that appears whole or not at all.
//
// Key decision: it is written under a temporary name in its own directory and renamed when it is on
// the medium, so that neither an error nor a crash leaves half a file under the real name.
#ifndef PARITY_SHARDFILE_OUTPUT_FILE_H_
#define PARITY_SHARDFILE_OUTPUT_FILE_H_

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "parity/shardfile/file.h"
#include "parity/shardfile/run_options.h"

namespace parity::shardfile {

enum class Existing {
  kRefuse,   // ALREADY_EXISTS, and what is there stays
  kReplace,  // a regular file that is there is replaced when the new one is committed
};

// WriteAt is thread-safe. The temporary file, .parity-<random>.tmp, is gone when the object is;
// only a killed process leaves it behind.
class OutputFile {
 public:
  // The permissions are those of `mode` without the executable bits and the umask's; the owner may
  // always read and write. With kRefuse, ALREADY_EXISTS at once if `path` exists, and again when
  // committing if it has come to exist. With kReplace, INVALID_ARGUMENT if it exists and is not a
  // regular file. Other errors are those of File.
  static absl::StatusOr<std::unique_ptr<OutputFile>> Create(const std::string& path, mode_t mode,
                                                            Existing existing);
  // The same with a temporary file of this name, in the directory of `path`. It is locked while it
  // is written, which shows that no killed process left it. ABORTED if another process takes it.
  static absl::StatusOr<std::unique_ptr<OutputFile>> CreateThrough(
      const std::string& temporary_path, const std::string& path, mode_t mode, Existing existing);
  // Makes the files durable, then visible one after the other, then their names durable. Can be
  // cancelled until the first is visible. After an error, those that are visible already stay so.
  static absl::Status Commit(absl::Span<const std::unique_ptr<OutputFile>> files,
                             const RunOptions& run);

  // For a process that is about to end without destructors: removes all temporary files there are.
  // Waits for a Commit that has begun to rename; afterwards none does, and nothing is created.
  // Thread-safe.
  static void AbandonAll();

  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  const std::string& path() const { return path_; }
  absl::Status WriteAt(uint64_t offset, absl::Span<const uint8_t> bytes) const {
    return temporary_.WriteAt(offset, bytes);
  }

 private:
  OutputFile(const std::string& path, Existing existing, File temporary);

  static absl::StatusOr<std::unique_ptr<OutputFile>> Make(const std::string& temporary_path,
                                                          const std::string& path, mode_t mode,
                                                          Existing existing);
  static absl::Status RenameAll(absl::Span<const std::unique_ptr<OutputFile>> files);
  absl::Status Rename();

  std::string path_;
  Existing existing_;
  File temporary_;
  bool renamed_ = false;
};

// A directory to put files in, made if it is not there. One that was made is removed with the
// object unless there is a file in it.
class OutputDirectory {
 public:
  // Its parent must be there. Errors are those of File.
  static absl::StatusOr<OutputDirectory> Open(const std::string& path);

  OutputDirectory(OutputDirectory&& other) noexcept;
  OutputDirectory& operator=(OutputDirectory&&) = delete;
  ~OutputDirectory();

 private:
  explicit OutputDirectory(const std::string& made) : made_(made) {}

  std::string made_;  // empty: it was there
};

// Returns when the names in the directory are on the medium.
absl::Status SyncDirectory(const std::string& path);

// The directory that `path` is in: "." for a bare name.
std::string DirectoryOf(const std::string& path);

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_OUTPUT_FILE_H_
