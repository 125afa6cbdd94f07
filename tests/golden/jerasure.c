// Writes the cases of jerasure.txt: parity computed by Jerasure over GF-Complete, with w = 8.
#include <jerasure.h>
#include <jerasure/reed_sol.h>
#include <stdio.h>
#include <stdlib.h>

#include "generator.h"

typedef struct {
  int k;
  int m;
} Shape;

enum { kLengthCount = 5 };
static const int kLengths[kLengthCount] = {1, 16, 33, 100, 257};
static int cases = 0;

// Jerasure works on whole machine words.
static int RoundedUp(int shard_bytes) { return (shard_bytes + 15) / 16 * 16; }

static void Xor(int k, int shard_bytes) {
  FillStripe(k, 1, shard_bytes);
  jerasure_do_parity(k, (char**)shards, (char*)shards[k], RoundedUp(shard_bytes));
  PrintCase("xor", "none", k, 1, shard_bytes);
  PrintParity(k, 1, shard_bytes);
  ++cases;
}

static void Raid6(int k, int shard_bytes) {
  FillStripe(k, 2, shard_bytes);
  if (reed_sol_r6_encode(k, 8, (char**)shards, (char**)shards + k, RoundedUp(shard_bytes)) != 1) {
    fprintf(stderr, "jerasure: reed_sol_r6_encode failed\n");
    exit(1);
  }
  PrintCase("raid6", "none", k, 2, shard_bytes);
  PrintParity(k, 2, shard_bytes);
  ++cases;
}

// Jerasure's own systematic Vandermonde matrix, which is written out: no other library has it.
static void ReedSolomon(Shape shape, int shard_bytes) {
  const int k = shape.k;
  const int m = shape.m;
  int* matrix = reed_sol_vandermonde_coding_matrix(k, m, 8);
  if (matrix == NULL) {
    fprintf(stderr, "jerasure: reed_sol_vandermonde_coding_matrix failed\n");
    exit(1);
  }
  FillStripe(k, m, shard_bytes);
  jerasure_matrix_encode(k, m, 8, matrix, (char**)shards, (char**)shards + k,
                         RoundedUp(shard_bytes));
  PrintCase("rs", "custom", k, m, shard_bytes);
  for (int r = 0; r < m; ++r) {
    uint8_t row[kMaxShards];
    for (int j = 0; j < k; ++j) row[j] = (uint8_t)matrix[r * k + j];
    PrintBytes("row", k + r, row, k);
  }
  PrintParity(k, m, shard_bytes);
  free(matrix);
  ++cases;
}

int main(void) {
  static const int kXorShards[] = {2, 3, 5, 17};
  static const int kRaid6Shards[] = {2, 4, 10, 17};
  static const Shape kShapes[] = {{1, 1}, {4, 2}, {6, 3}, {5, 5}, {8, 4}, {10, 4}, {17, 3}};
  static const Shape kLargeShapes[] = {{20, 12}, {2, 254}, {201, 55}};

  for (size_t i = 0; i < sizeof(kXorShards) / sizeof(*kXorShards); ++i) {
    for (int n = 0; n < kLengthCount; ++n) Xor(kXorShards[i], kLengths[n]);
  }
  Xor(255, 16);

  for (size_t i = 0; i < sizeof(kRaid6Shards) / sizeof(*kRaid6Shards); ++i) {
    for (int n = 0; n < kLengthCount; ++n) Raid6(kRaid6Shards[i], kLengths[n]);
  }
  Raid6(255, 16);

  for (size_t i = 0; i < sizeof(kShapes) / sizeof(*kShapes); ++i) {
    for (int n = 0; n < kLengthCount; ++n) ReedSolomon(kShapes[i], kLengths[n]);
  }
  for (size_t i = 0; i < sizeof(kLargeShapes) / sizeof(*kLargeShapes); ++i) {
    ReedSolomon(kLargeShapes[i], 16);
  }

  printf("end %d\n", cases);
  return 0;
}
