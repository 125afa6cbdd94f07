// Where sockets and logs of the servers are while the bench runs.
#ifndef PARITY_SERVER_BENCH_SCRATCH_DIRECTORY_H_
#define PARITY_SERVER_BENCH_SCRATCH_DIRECTORY_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace parity::bench {

// Readable by this user alone; removed, with what is in it, when this is destroyed.
class ScratchDirectory {
 public:
  // In $TMPDIR, else /tmp.
  static absl::StatusOr<std::unique_ptr<ScratchDirectory>> Make();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory();

  // The path of a file in it.
  std::string PathOf(absl::string_view name) const;

 private:
  explicit ScratchDirectory(std::string path) : path_(std::move(path)) {}

  const std::string path_;
};

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_SCRATCH_DIRECTORY_H_
