// CRC32C (RFC 3720, section 12.1): polynomial 0x1edc6f41, reflected, inverted before and after.
#ifndef PARITY_SHARDFILE_CHECKSUM_H_
#define PARITY_SHARDFILE_CHECKSUM_H_

#include <cstdint>

#include "absl/types/span.h"

namespace parity::shardfile {

// REQUIRES: at most 2^31-1 bytes.
uint32_t Crc32c(absl::Span<const uint8_t> bytes);

// Writes the checksums of the blocks of `cell` as they follow it in a record: 4 bytes for each.
// REQUIRES: out has room for them.
void ChecksumBlocks(absl::Span<const uint8_t> cell, uint32_t block_bytes, uint8_t* out);

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_CHECKSUM_H_
