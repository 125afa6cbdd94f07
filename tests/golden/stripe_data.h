// The data shards of every golden stripe, in C and in C++. README.md has the formula.
#ifndef PARITY_TESTS_GOLDEN_STRIPE_DATA_H_
#define PARITY_TESTS_GOLDEN_STRIPE_DATA_H_

#include <stdint.h>

// Byte `offset` of data shard `shard`.
static inline uint8_t StripeDataByte(uint32_t shard, uint32_t offset) {
  uint32_t x = shard * 65536u + offset + 1u;
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;
  return (uint8_t)(x ^ (x >> 16));
}

#endif  // PARITY_TESTS_GOLDEN_STRIPE_DATA_H_
