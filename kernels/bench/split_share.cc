#include "split_share.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "counting_vector.h"
#include "gf_matrix_kernel.h"
#include "pq_kernel.h"
#include "xor_kernel.h"

namespace parity::bench {
namespace {

using kernels::CountAccesses;
using kernels::GfFactor;
using kernels::GfMatrixJob;
using kernels::Tuning;

constexpr size_t kCountedBytes = 65536;

template <class V>
void RunCounted(const Tuning& tuning, const Row& row, const Stripe& stripe) {
  const uint8_t* const* src = stripe.sources.data();
  uint8_t* const* dst = stripe.outputs.data();
  const size_t bytes = std::min(row.bytes, kCountedBytes);
  std::vector<GfFactor> factors(row.k * row.m, kernels::FactorOf(2));
  std::vector<size_t> differences(row.m);
  switch (row.op) {
    case Op::kXor: {
      const kernels::XorJob job = {dst[0], src, row.k, bytes};
      return kernels::XorGenerate<V>(&job, 1, tuning);
    }
    case Op::kPq: {
      const kernels::PqJob job = {dst[0], dst[1], src, row.k, bytes};
      return kernels::PqGenerate<V>(&job, 1, tuning);
    }
    case Op::kRs:
    case Op::kReconstruct: {
      const GfMatrixJob job = {dst, src, factors.data(), row.k, row.m, bytes};
      return kernels::GfMatrix<V>(&job, 1, tuning);
    }
    case Op::kUpdate: {
      const GfMatrixJob job = {dst, src + 1, factors.data(), 1, row.m, bytes, src};
      return kernels::GfMatrixAdd<V>(&job, 1, tuning);
    }
    case Op::kVerifyXor: {
      const kernels::XorCompareJob job = {dst[0], src, row.k, bytes, differences.data()};
      return kernels::XorCompare<V>(&job, 1);
    }
    case Op::kVerifyPq: {
      const kernels::PqCompareJob job = {dst[0], dst[1], src, row.k, bytes, differences.data()};
      return kernels::PqCompare<V>(&job, 1);
    }
    case Op::kVerifyRs: {
      const kernels::GfCompareJob job = {dst,   src,   factors.data(),    row.k,
                                         row.m, bytes, differences.data()};
      return kernels::GfCompare<V>(&job, 1);
    }
  }
}

}  // namespace

double SplitShare(const kernels::KernelTable& table, const Tuning& tuning, const Row& row,
                  const Stripe& stripe) {
  CountAccesses::counts = {};
  if (table.vector_bytes == 64) {
    RunCounted<kernels::CountingVector<64, CountAccesses>>(tuning, row, stripe);
  } else if (table.vector_bytes == 32) {
    RunCounted<kernels::CountingVector<32, CountAccesses>>(tuning, row, stripe);
  } else {
    RunCounted<kernels::CountingVector<16, CountAccesses>>(tuning, row, stripe);
  }
  const kernels::AccessCounts& counts = CountAccesses::counts;
  return static_cast<double>(counts.crossing()) / static_cast<double>(counts.accesses());
}

}  // namespace parity::bench
