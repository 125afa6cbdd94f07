// Runs shorter than the narrowest vector, which kernels compute in slots that are as wide as it.
//
// For ISA files only (see cover.h).
#ifndef PARITY_KERNELS_ISA_SMALL_RUN_H_
#define PARITY_KERNELS_ISA_SMALL_RUN_H_

#include <cstddef>
#include <cstdint>

#include "parity/kernels/kernel_table.h"

namespace parity::kernels {
namespace {

// Up to 16 bytes; those that a run does not have are 0.
struct Slot {
  uint64_t low;
  uint64_t high;
};

template <class Word>
uint64_t LoadWord(const uint8_t* p) {
  Word word;
  __builtin_memcpy(&word, p, sizeof word);
  return word;
}

// The `bytes` bytes at `p`, 1 to 8, as the low bytes of a word.
inline uint64_t LoadUpTo8(const uint8_t* p, size_t bytes) {
  if (bytes == 8) return LoadWord<uint64_t>(p);
  uint64_t word = 0;
  size_t at = 0;
  if ((bytes & 4) != 0) {
    word = LoadWord<uint32_t>(p);
    at = 4;
  }
  if ((bytes & 2) != 0) {
    word |= LoadWord<uint16_t>(p + at) << (8 * at);
    at += 2;
  }
  if ((bytes & 1) != 0) word |= static_cast<uint64_t>(p[at]) << (8 * at);
  return word;
}

inline void StoreUpTo8(uint8_t* p, uint64_t word, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) p[i] = static_cast<uint8_t>(word >> (8 * i));
}

// REQUIRES: bytes is 1 to 16.
inline Slot LoadSlot(const uint8_t* p, size_t bytes) {
  if (bytes <= 8) return {LoadUpTo8(p, bytes), 0};
  return {LoadWord<uint64_t>(p), LoadUpTo8(p + 8, bytes - 8)};
}

inline void StoreSlot(uint8_t* p, const Slot& slot, size_t bytes) {
  if (bytes <= 8) return StoreUpTo8(p, slot.low, bytes);
  __builtin_memcpy(p, &slot.low, 8);
  StoreUpTo8(p + 8, slot.high, bytes - 8);
}

// The first byte in which two runs of `bytes` bytes differ, or `bytes`.
inline size_t FirstDifference(const Slot& a, const Slot& b, size_t bytes) {
  const uint64_t low = a.low ^ b.low;
  const uint64_t high = a.high ^ b.high;
  if (low != 0) return static_cast<size_t>(__builtin_ctzll(low)) / 8;
  if (high != 0) return 8 + static_cast<size_t>(__builtin_ctzll(high)) / 8;
  return bytes;
}

// Runs of 1 to 15 bytes, copied to where a vector of 16 can read them.
struct Slots {
  Slot slots[kMaxGfShards];
  const uint8_t* pointers[kMaxGfShards];

  Slots(const uint8_t* const* runs, size_t count, size_t bytes) {
    for (size_t i = 0; i < count; ++i) {
      slots[i] = LoadSlot(runs[i], bytes);
      pointers[i] = reinterpret_cast<const uint8_t*>(&slots[i]);
    }
  }
};

}  // namespace
}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_SMALL_RUN_H_
