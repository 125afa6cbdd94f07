#include "stripe.h"

#include <algorithm>

namespace parity::bench {
namespace {

struct Scratch {
  size_t shards;
  size_t bytes;
};

Scratch ScratchOf(const Row& row) {
  switch (row.op) {
    case Op::kXor:
    case Op::kPq:
    case Op::kRs:
    case Op::kReconstruct:
      return {0, 0};
    case Op::kUpdate:
      return {1, row.bytes};
    case Op::kVerifyXor:
    case Op::kVerifyPq:
    case Op::kVerifyRs:
      return {row.m, std::min(row.bytes, kVerifyPieceBytes)};
  }
  return {0, 0};
}

Matrix MatrixOf(const Row& row) {
  switch (row.op) {
    case Op::kXor:
    case Op::kVerifyXor:
      return Matrix(1, std::vector<uint8_t>(row.k, 1));
    case Op::kPq:
    case Op::kVerifyPq:
      return PqParity(row.k);
    case Op::kRs:
    case Op::kUpdate:
    case Op::kVerifyRs:
      return CauchyParity(row.k, row.m);
    case Op::kReconstruct:
      return CauchyReconstruction(row.k, row.m);
  }
  return {};
}

}  // namespace

size_t StripeFootprint(const Row& row) {
  const Scratch scratch = ScratchOf(row);
  return (Sources(row) + row.m) * Arena::Footprint(row.bytes) +
         scratch.shards * Arena::Footprint(scratch.bytes);
}

Stripe LayOut(const Row& row, Arena& arena) {
  Stripe stripe;
  for (size_t j = 0; j < Sources(row); ++j) {
    stripe.sources.push_back(arena.Place(row.bytes, row.alignment));
  }
  for (size_t r = 0; r < row.m; ++r) {
    stripe.outputs.push_back(arena.Place(row.bytes, row.alignment));
  }
  const Scratch scratch = ScratchOf(row);
  for (size_t i = 0; i < scratch.shards; ++i) {
    stripe.scratch.push_back(arena.Place(scratch.bytes, Alignment::kPage));
  }
  stripe.matrix = MatrixOf(row);
  return stripe;
}

}  // namespace parity::bench
