#include "checksum.h"

#include "little_endian.h"
#include "parity/checksum/crc32c.h"
#include "parity/shardfile/layout.h"

namespace parity::shardfile {

void ChecksumBlocks(absl::Span<const uint8_t> cell, uint32_t block_bytes, uint8_t* out) {
  for (size_t at = 0; at < cell.size(); at += block_bytes) {
    StoreLittleEndian(checksum::Crc32c(cell.subspan(at, block_bytes)), out);
    out += kChecksumBytes;
  }
}

}  // namespace parity::shardfile
