// What is measured: every row of the grid, as data.
#ifndef PARITY_KERNELS_BENCH_GRID_H_
#define PARITY_KERNELS_BENCH_GRID_H_

#include <cstddef>
#include <string>
#include <vector>

namespace parity::bench {

enum class Op { kXor, kPq, kRs, kReconstruct, kUpdate, kVerifyXor, kVerifyPq, kVerifyRs };
inline constexpr Op kOps[] = {Op::kXor,    Op::kPq,        Op::kRs,       Op::kReconstruct,
                              Op::kUpdate, Op::kVerifyXor, Op::kVerifyPq, Op::kVerifyRs};

// Where a shard starts: on a page of its own, that many bytes behind it, or a random number of 0 to
// 63 bytes behind it, another one for every shard.
enum class Alignment { kPage, kPlus1, kPlus32, kRandom };
inline constexpr Alignment kAlignments[] = {Alignment::kPage, Alignment::kPlus1, Alignment::kPlus32,
                                            Alignment::kRandom};

struct Row {
  Op op;
  size_t k;  // data shards
  size_t m;  // shards that are computed: the lost ones for kReconstruct, else parity
  size_t bytes;
  Alignment alignment;
};

const char* NameOf(Op op);
const char* NameOf(Alignment alignment);
// As in "rs/k=4/m=2/len=4096/align=page"; without m where the op implies it.
std::string NameOf(const Row& row);

// What a rate counts: the bytes of all sources, which are the k data shards, except for kUpdate:
// there they are the old and the new version of one.
size_t Sources(const Row& row);
size_t SourceBytes(const Row& row);

std::vector<Row> FullGrid();
std::vector<Row> QuickGrid();

}  // namespace parity::bench

#endif  // PARITY_KERNELS_BENCH_GRID_H_
