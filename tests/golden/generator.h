// What the generators in C and C++ share: one stripe in memory, and the lines of a golden file.
#ifndef PARITY_TESTS_GOLDEN_GENERATOR_H_
#define PARITY_TESTS_GOLDEN_GENERATOR_H_

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "stripe_data.h"

enum { kMaxShards = 257, kRoomBytes = 512 };

// The largest alignment that a library asks for. Parity is computed byte by byte, so one that wants
// a rounded length may run over into the room behind a shard, which is zero in data shards.
static uint8_t shard_room[kMaxShards][kRoomBytes] __attribute__((aligned(64)));
static uint8_t* shards[kMaxShards];

// Makes shards[0..k-1] the stripe's data and shards[k..k+m-1] what no code gives.
static inline void FillStripe(int k, int m, int shard_bytes) {
  for (int shard = 0; shard < k + m; ++shard) {
    shards[shard] = shard_room[shard];
    memset(shards[shard], shard < k ? 0 : 0xee, kRoomBytes);
    for (int i = 0; shard < k && i < shard_bytes; ++i) {
      shards[shard][i] = StripeDataByte((uint32_t)shard, (uint32_t)i);
    }
  }
}

static inline void PrintCase(const char* code, const char* matrix, int k, int m, int shard_bytes) {
  printf("case %s %s %d %d %d\n", code, matrix, k, m, shard_bytes);
}

// "parity 4 00ff..." or "row 4 00ff...".
static inline void PrintBytes(const char* what, int shard, const uint8_t* bytes, int count) {
  printf("%s %d ", what, shard);
  for (int i = 0; i < count; ++i) printf("%02x", bytes[i]);
  printf("\n");
}

static inline void PrintParity(int k, int m, int shard_bytes) {
  for (int shard = k; shard < k + m; ++shard) {
    PrintBytes("parity", shard, shards[shard], shard_bytes);
  }
}

#endif  // PARITY_TESTS_GOLDEN_GENERATOR_H_
