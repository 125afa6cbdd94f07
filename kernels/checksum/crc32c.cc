#include "parity/checksum/crc32c.h"

#include <isa-l/crc.h>

#include <algorithm>

namespace parity::checksum {
namespace {

constexpr size_t kMostAtOnce = size_t{1} << 30;  // ISA-L counts in int

}  // namespace

uint32_t Crc32c(absl::Span<const uint8_t> bytes, uint32_t preceding) {
  uint32_t crc = ~preceding;  // ISA-L leaves the inversions to its caller
  while (!bytes.empty()) {
    const size_t run = std::min(bytes.size(), kMostAtOnce);
    // It does not write, whatever its prototype says.
    crc = crc32_iscsi(const_cast<uint8_t*>(bytes.data()), static_cast<int>(run), crc);
    bytes.remove_prefix(run);
  }
  return ~crc;
}

}  // namespace parity::checksum
