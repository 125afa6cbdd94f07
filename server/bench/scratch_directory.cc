#include "scratch_directory.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace parity::bench {

absl::StatusOr<std::unique_ptr<ScratchDirectory>> ScratchDirectory::Make() {
  const char* parent = std::getenv("TMPDIR");
  std::string path =
      absl::StrCat(parent == nullptr ? "/tmp" : parent, "/parity_transport_bench.XXXXXX");
  if (mkdtemp(path.data()) == nullptr) return absl::ErrnoToStatus(errno, path);
  return std::unique_ptr<ScratchDirectory>(new ScratchDirectory(path));
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchDirectory::PathOf(absl::string_view name) const {
  return absl::StrCat(path_, "/", name);
}

}  // namespace parity::bench
