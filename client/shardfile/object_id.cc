#include "parity/shardfile/object_id.h"

#include <sys/random.h>

#include <cerrno>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"

namespace parity::shardfile {

absl::StatusOr<ObjectId> ObjectId::Random() {
  ObjectId id;
  // Up to 256 bytes come whole or not at all.
  if (getrandom(id.bytes.data(), id.bytes.size(), 0) != static_cast<ssize_t>(id.bytes.size())) {
    return absl::ErrnoToStatus(errno, "no random object id");
  }
  return id;
}

std::string ObjectId::ToString() const {
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace parity::shardfile
