#include "input.h"

#include <unistd.h>

#include <cerrno>
#include <vector>

#include "absl/strings/str_cat.h"
#include "interrupt.h"
#include "parity/shardfile/object_id.h"

namespace parity::cli {

absl::StatusOr<shardfile::File> SpoolStandardInput(const std::string& directory,
                                                   uint64_t most_bytes) {
  const absl::StatusOr<shardfile::ObjectId> name = shardfile::ObjectId::Random();
  if (!name.ok()) return name.status();
  absl::StatusOr<shardfile::File> file = shardfile::File::CreateNew(
      absl::StrCat(directory, "/.parity-", name->ToString(), ".tmp"), 0600);
  if (!file.ok()) return file.status();
  unlink(file->path().c_str());
  std::vector<uint8_t> buffer(1 << 20);
  for (uint64_t bytes = 0;;) {
    if (absl::Status status = WaitForInput(STDIN_FILENO); !status.ok()) return status;
    const ssize_t got = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got == 0) return file;
    if (got < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      return shardfile::FileError("standard input", "read", errno);
    }
    if (static_cast<uint64_t>(got) > most_bytes - bytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("standard input: got more than ", most_bytes,
                       " bytes, want at most that many: the object keeps its size"));
    }
    if (absl::Status status =
            file->WriteAt(bytes, absl::MakeConstSpan(buffer).first(static_cast<size_t>(got)));
        !status.ok()) {
      return status;
    }
    bytes += static_cast<uint64_t>(got);
  }
}

}  // namespace parity::cli
