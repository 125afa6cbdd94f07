#include "our_kernels.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace parity::bench {
namespace {

using kernels::GfFactor;
using kernels::GfMatrixJob;
using kernels::KernelTable;
using kernels::Tuning;
using timing::Call;

// Calls run(jobs, count) for batches of at most `most` times the same job.
template <class Job, class Run>
Call InBatches(const Job& job, size_t most, Run run) {
  return [jobs = std::vector<Job>(most, job), run](size_t times) {
    while (times > 0) {
      const size_t count = std::min(times, jobs.size());
      run(jobs.data(), count);
      times -= count;
    }
  };
}

using Factors = std::shared_ptr<const std::vector<GfFactor>>;

Factors FactorsOf(const Matrix& matrix) {
  return std::make_shared<const std::vector<GfFactor>>(SourceMajor(matrix));
}

// Of the one data shard that an update replaces.
Factors UpdateFactors(const Matrix& matrix) {
  std::vector<GfFactor> factors;
  for (const std::vector<uint8_t>& row : matrix) {
    factors.push_back(kernels::FactorOf(row[kUpdatedShard]));
  }
  return std::make_shared<const std::vector<GfFactor>>(std::move(factors));
}

// Runs the comparison, whose job is made for `differences`, and says what it found.
template <class Job, class MakeJob>
Call CompareCall(void (*function)(const Job*, size_t), size_t most, const Row& row, Stripe& stripe,
                 MakeJob make_job) {
  const auto differences = std::make_shared<std::vector<size_t>>(row.m);
  return InBatches(make_job(differences->data()), most,
                   [function, differences, &stripe, bytes = row.bytes](const Job* jobs, size_t n) {
                     function(jobs, n);
                     stripe.consistent =
                         std::all_of(differences->begin(), differences->end(),
                                     [bytes](size_t difference) { return difference == bytes; });
                   });
}

}  // namespace

timing::Call OurCall(const KernelTable& table, const Tuning& tuning, const Row& row, size_t most,
                     Stripe& stripe) {
  const uint8_t* const* src = stripe.sources.data();
  uint8_t* const* dst = stripe.outputs.data();
  switch (row.op) {
    case Op::kXor:
      return InBatches(
          kernels::XorJob{dst[0], src, row.k, row.bytes}, most,
          [&](const kernels::XorJob* jobs, size_t n) { table.xor_generate(jobs, n, tuning); });
    case Op::kPq:
      return InBatches(
          kernels::PqJob{dst[0], dst[1], src, row.k, row.bytes}, most,
          [&](const kernels::PqJob* jobs, size_t n) { table.pq_generate(jobs, n, tuning); });
    case Op::kRs:
    case Op::kReconstruct: {
      const Factors factors = FactorsOf(stripe.matrix);
      return InBatches(
          GfMatrixJob{dst, src, factors->data(), row.k, row.m, row.bytes}, most,
          [&, factors](const GfMatrixJob* jobs, size_t n) { table.gf_matrix(jobs, n, tuning); });
    }
    case Op::kUpdate: {
      const Factors factors = UpdateFactors(stripe.matrix);
      return InBatches(GfMatrixJob{dst, src + 1, factors->data(), 1, row.m, row.bytes, src}, most,
                       [&, factors](const GfMatrixJob* jobs, size_t n) {
                         table.gf_matrix_add(jobs, n, tuning);
                       });
    }
    case Op::kVerifyXor:
      return CompareCall(table.xor_compare, most, row, stripe, [&](size_t* differences) {
        return kernels::XorCompareJob{dst[0], src, row.k, row.bytes, differences};
      });
    case Op::kVerifyPq:
      return CompareCall(table.pq_compare, most, row, stripe, [&](size_t* differences) {
        return kernels::PqCompareJob{dst[0], dst[1], src, row.k, row.bytes, differences};
      });
    case Op::kVerifyRs: {
      const Factors factors = FactorsOf(stripe.matrix);
      const Call call = CompareCall(table.gf_compare, most, row, stripe, [&](size_t* differences) {
        return kernels::GfCompareJob{dst,   src,       factors->data(), row.k,
                                     row.m, row.bytes, differences};
      });
      return [call, factors](size_t times) { call(times); };
    }
  }
  return {};
}

void GenerateParity(const KernelTable& table, const Tuning& tuning, const Row& row,
                    Stripe& stripe) {
  const Factors factors = FactorsOf(stripe.matrix);
  const GfMatrixJob job = {
      stripe.outputs.data(), stripe.sources.data(), factors->data(), row.k, row.m, row.bytes};
  table.gf_matrix(&job, 1, tuning);
}

}  // namespace parity::bench
