// The Reed-Solomon codes that are measured, as matrices of coefficients.
#ifndef PARITY_KERNELS_BENCH_ERASURE_CODE_H_
#define PARITY_KERNELS_BENCH_ERASURE_CODE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "parity/kernels/gf256.h"

namespace parity::bench {

// One row of k coefficients for each output.
using Matrix = std::vector<std::vector<uint8_t>>;

// Parity i of k data shards as ISA-L's gf_gen_cauchy1_matrix has it: 1 / ((k + i) ^ j).
Matrix CauchyParity(size_t k, size_t m);

// P and Q: 1, 1, 1, ... and 1, 2, 4, ...
Matrix PqParity(size_t k);

// The first `lost` data shards from the data shards that are left and `lost` parity shards, in that
// order.
Matrix CauchyReconstruction(size_t k, size_t lost);

// The same coefficients as factors for a kernel, those of one source together.
std::vector<kernels::GfFactor> SourceMajor(const Matrix& matrix);

}  // namespace parity::bench

#endif  // PARITY_KERNELS_BENCH_ERASURE_CODE_H_
