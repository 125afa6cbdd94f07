// What the shards of one object have in common and those of no other have.
#ifndef PARITY_SHARDFILE_OBJECT_ID_H_
#define PARITY_SHARDFILE_OBJECT_ID_H_

#include <array>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace parity::shardfile {

struct ObjectId {
  std::array<uint8_t, 16> bytes{};

  // From the kernel's random numbers.
  static absl::StatusOr<ObjectId> Random();
  // 32 hexadecimal digits.
  std::string ToString() const;

  friend bool operator==(const ObjectId& a, const ObjectId& b) { return a.bytes == b.bytes; }
  friend bool operator!=(const ObjectId& a, const ObjectId& b) { return !(a == b); }
};

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_OBJECT_ID_H_
