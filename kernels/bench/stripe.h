// The shards of one row, laid out in the arena, and what is computed from them.
#ifndef PARITY_KERNELS_BENCH_STRIPE_H_
#define PARITY_KERNELS_BENCH_STRIPE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arena.h"
#include "erasure_code.h"
#include "grid.h"

namespace parity::bench {

// Verification by ISA-L computes parity into scratch memory, this much at a time.
inline constexpr size_t kVerifyPieceBytes = 16384;

// The data shard that kUpdate replaces.
inline constexpr size_t kUpdatedShard = 3;

struct Stripe {
  std::vector<uint8_t*> sources;  // Sources(row)
  std::vector<uint8_t*> outputs;  // m; the parity to check for a verifying row
  // Page-aligned memory for intermediate results: for kUpdate one shard, for a verifying row m
  // pieces.
  std::vector<uint8_t*> scratch;
  Matrix matrix;            // the code; for kUpdate of all k data shards
  bool consistent = false;  // what the latest verification said
};

// What the stripe takes from the arena.
size_t StripeFootprint(const Row& row);

// Places a stripe behind what the arena has placed. REQUIRES: it fits.
Stripe LayOut(const Row& row, Arena& arena);

}  // namespace parity::bench

#endif  // PARITY_KERNELS_BENCH_STRIPE_H_
