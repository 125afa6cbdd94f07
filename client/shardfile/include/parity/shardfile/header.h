// The first 128 bytes of a shard file: what the shard is and what it belongs to.
//
// Key decision: a parsed Header has passed every check there is, and anything that does not is
// refused. README.md in this directory has the bytes.
#ifndef PARITY_SHARDFILE_HEADER_H_
#define PARITY_SHARDFILE_HEADER_H_

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "parity/shardfile/layout.h"
#include "parity/shardfile/object_id.h"

namespace parity::shardfile {

inline constexpr uint32_t kFormatVersion = 1;

struct Header {
  ObjectId object_id;
  Layout layout;
  uint32_t index;  // of the shard: data shards first. Less than layout.geometry().total_shards()
};

std::array<uint8_t, kHeaderBytes> EncodeHeader(const Header& header);

// `bytes` is the start of a file, whole or cut off after kHeaderBytes. The error names the field,
// what was got and what was wanted. It is DATA_LOSS if this is no shard file or a damaged one. It
// is UNIMPLEMENTED if the checksum proves it undamaged, but it has a version, an algorithm or a
// size that this program does not know or allow: such a file must not be replaced as a damaged one
// may be.
absl::StatusOr<Header> ParseHeader(absl::Span<const uint8_t> bytes);

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_HEADER_H_
