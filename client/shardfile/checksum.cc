#include "checksum.h"

#include <isa-l/crc.h>

#include "little_endian.h"
#include "parity/shardfile/layout.h"

namespace parity::shardfile {

uint32_t Crc32c(absl::Span<const uint8_t> bytes) {
  // ISA-L leaves the inversions to its caller. It does not write, whatever its prototype says.
  return ~crc32_iscsi(const_cast<uint8_t*>(bytes.data()), static_cast<int>(bytes.size()), ~0u);
}

void ChecksumBlocks(absl::Span<const uint8_t> cell, uint32_t block_bytes, uint8_t* out) {
  for (size_t at = 0; at < cell.size(); at += block_bytes) {
    StoreLittleEndian(Crc32c(cell.subspan(at, block_bytes)), out);
    out += kChecksumBytes;
  }
}

}  // namespace parity::shardfile
