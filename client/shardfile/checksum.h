// The checksums of a record.
#ifndef PARITY_SHARDFILE_CHECKSUM_H_
#define PARITY_SHARDFILE_CHECKSUM_H_

#include <cstdint>

#include "absl/types/span.h"

namespace parity::shardfile {

// Writes the CRC32C of each of the blocks of `cell` as they follow it in a record: 4 bytes for
// each. REQUIRES: out has room for them.
void ChecksumBlocks(absl::Span<const uint8_t> cell, uint32_t block_bytes, uint8_t* out);

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_CHECKSUM_H_
