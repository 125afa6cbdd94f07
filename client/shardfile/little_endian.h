// Integers as they lie in a shard file.
#ifndef PARITY_SHARDFILE_LITTLE_ENDIAN_H_
#define PARITY_SHARDFILE_LITTLE_ENDIAN_H_

#include <cstddef>
#include <cstdint>

namespace parity::shardfile {

template <class Unsigned>
void StoreLittleEndian(Unsigned value, uint8_t* out) {
  for (size_t i = 0; i < sizeof(value); ++i) out[i] = static_cast<uint8_t>(value >> (8 * i));
}

template <class Unsigned>
Unsigned LoadLittleEndian(const uint8_t* in) {
  Unsigned value = 0;
  for (size_t i = 0; i < sizeof(value); ++i) value |= static_cast<Unsigned>(in[i]) << (8 * i);
  return value;
}

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_LITTLE_ENDIAN_H_
