// The operations of a kernel table behind one shape, and what they should give.
//
// Key decision: to a test, XOR and P+Q are matrix products whose factors are fixed. So one body
// holds every operation of every table against one oracle.
#ifndef PARITY_TESTS_KERNELS_OPERATION_H_
#define PARITY_TESTS_KERNELS_OPERATION_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <vector>

#include "memory.h"
#include "parity/kernels/gf256.h"
#include "parity/kernels/kernel_table.h"

namespace parity::kernels {

using Factors = std::vector<GfFactor>;

inline Factors FactorsOf(const Bytes& coefficients) {
  Factors factors(coefficients.size());
  std::transform(coefficients.begin(), coefficients.end(), factors.begin(), FactorOf);
  return factors;
}

// A job of any operation.
struct Job {
  std::vector<uint8_t*> parity;
  std::vector<const uint8_t*> sources;
  Factors factors;  // source-major
  size_t bytes = 0;

  size_t k() const { return sources.size(); }
  size_t m() const { return parity.size(); }
};

// The factors of an operation.
enum class Code { kXor, kPq, kMatrix };

// How many outputs a code has, if a test would like m.
constexpr size_t OutputsOf(Code code, size_t m) {
  return code == Code::kXor ? 1 : code == Code::kPq ? 2 : m;
}

// Those of a matrix are any.
inline Factors FactorsOf(Code code, size_t k, size_t m) {
  if (code == Code::kXor) return FactorsOf(Bytes(k, 1));
  if (code == Code::kMatrix) return FactorsOf(Noise(k * m, static_cast<uint32_t>(k + m)));
  Bytes coefficients;
  uint8_t power = 1;
  for (size_t j = 0; j < k; ++j) {
    coefficients.push_back(1);
    coefficients.push_back(power);
    power = GfMultiply(power, 2);
  }
  return FactorsOf(coefficients);
}

// What writes parity.
struct Operation {
  const char* name;
  Code code;
  bool adds;   // to the parity that is there
  bool delta;  // a source is the sum of two runs, new and old, that follow each other in
               // Job::sources
  void (*run)(const KernelTable& table, const Job* jobs, size_t count, const Tuning& tuning);
};

// What compares parity. REQUIRES: first_differences[i] has m elements for jobs[i].
struct Comparison {
  const char* name;
  Code code;
  void (*run)(const KernelTable& table, const Job* jobs, size_t count,
              std::vector<size_t>* first_differences);
};

inline void PrintTo(const KernelTable& table, std::ostream* out) { *out << table.name; }
inline void PrintTo(const Operation& operation, std::ostream* out) { *out << operation.name; }
inline void PrintTo(const Comparison& comparison, std::ostream* out) { *out << comparison.name; }

inline XorJob MakeXorJob(const Job& job) {
  return {job.parity[0], job.sources.data(), job.k(), job.bytes};
}
inline PqJob MakePqJob(const Job& job) {
  return {job.parity[0], job.parity[1], job.sources.data(), job.k(), job.bytes};
}
inline GfMatrixJob MakeGfMatrixJob(const Job& job) {
  return {job.parity.data(), job.sources.data(), job.factors.data(), job.k(), job.m(), job.bytes};
}

inline XorCompareJob MakeXorCompareJob(const Job& job, size_t* first_difference) {
  return {job.parity[0], job.sources.data(), job.k(), job.bytes, first_difference};
}
inline PqCompareJob MakePqCompareJob(const Job& job, size_t* first_difference) {
  return {job.parity[0], job.parity[1], job.sources.data(), job.k(), job.bytes, first_difference};
}
inline GfCompareJob MakeGfCompareJob(const Job& job, size_t* first_difference) {
  return {job.parity.data(), job.sources.data(), job.factors.data(), job.k(),
          job.m(),           job.bytes,          first_difference};
}

template <class TableJob, TableJob (*kMake)(const Job&),
          void (*KernelTable::*kKernel)(const TableJob*, size_t, const Tuning&)>
void RunOperation(const KernelTable& table, const Job* jobs, size_t count, const Tuning& tuning) {
  std::vector<TableJob> batch(count);
  std::transform(jobs, jobs + count, batch.begin(), kMake);
  (table.*kKernel)(batch.data(), count, tuning);
}

template <class TableJob, TableJob (*kMake)(const Job&, size_t*),
          void (*KernelTable::*kKernel)(const TableJob*, size_t)>
void RunComparison(const KernelTable& table, const Job* jobs, size_t count,
                   std::vector<size_t>* first_differences) {
  std::vector<TableJob> batch(count);
  for (size_t i = 0; i < count; ++i) batch[i] = kMake(jobs[i], first_differences[i].data());
  (table.*kKernel)(batch.data(), count);
}

// Takes the sources of each job apart.
inline void RunGfMatrixDelta(const KernelTable& table, const Job* jobs, size_t count,
                             const Tuning& tuning) {
  struct Delta {
    std::vector<const uint8_t*> now;
    std::vector<const uint8_t*> old;
    Factors factors;
  };
  std::vector<Delta> deltas(count);
  std::vector<GfMatrixJob> batch;
  for (size_t i = 0; i < count; ++i) {
    const Job& job = jobs[i];
    Delta& delta = deltas[i];
    for (size_t j = 0; j < job.k(); j += 2) {
      const auto factors = job.factors.begin() + static_cast<ptrdiff_t>(j * job.m());
      delta.now.push_back(job.sources[j]);
      delta.old.push_back(job.sources[j + 1]);
      delta.factors.insert(delta.factors.end(), factors, factors + static_cast<ptrdiff_t>(job.m()));
    }
    batch.push_back({job.parity.data(), delta.now.data(), delta.factors.data(), delta.now.size(),
                     job.m(), job.bytes, delta.old.data()});
  }
  table.gf_matrix_add(batch.data(), count, tuning);
}

inline constexpr Operation kOperations[] = {
    {"xor_generate", Code::kXor, false, false,
     RunOperation<XorJob, MakeXorJob, &KernelTable::xor_generate>},
    {"pq_generate", Code::kPq, false, false,
     RunOperation<PqJob, MakePqJob, &KernelTable::pq_generate>},
    {"gf_matrix", Code::kMatrix, false, false,
     RunOperation<GfMatrixJob, MakeGfMatrixJob, &KernelTable::gf_matrix>},
    {"gf_matrix_add", Code::kMatrix, true, false,
     RunOperation<GfMatrixJob, MakeGfMatrixJob, &KernelTable::gf_matrix_add>},
    {"gf_matrix_delta", Code::kMatrix, true, true, RunGfMatrixDelta},
};

// A job without memory: k sources, or pairs of them; m outputs, if the code takes any number.
inline Job JobFor(Code code, size_t k, size_t m) {
  Job job;
  job.sources.resize(k);
  job.parity.resize(OutputsOf(code, m));
  job.factors = FactorsOf(code, k, job.m());
  return job;
}
inline Job JobFor(const Operation& operation, size_t k, size_t m) {
  Job job = JobFor(operation.code, k, m);
  if (!operation.delta) return job;
  job.sources.resize(2 * k);
  Factors twice;
  for (size_t j = 0; j < 2 * k; ++j) {
    const auto factors = job.factors.begin() + static_cast<ptrdiff_t>(j / 2 * job.m());
    twice.insert(twice.end(), factors, factors + static_cast<ptrdiff_t>(job.m()));
  }
  job.factors = twice;
  return job;
}

inline constexpr Comparison kComparisons[] = {
    {"xor_compare", Code::kXor,
     RunComparison<XorCompareJob, MakeXorCompareJob, &KernelTable::xor_compare>},
    {"pq_compare", Code::kPq,
     RunComparison<PqCompareJob, MakePqCompareJob, &KernelTable::pq_compare>},
    {"gf_compare", Code::kMatrix,
     RunComparison<GfCompareJob, MakeGfCompareJob, &KernelTable::gf_compare>},
};

// sum += factor * source. By table, to be quick enough as an oracle; gf256_test.cc holds the
// table against the definition.
inline void AddProduct(uint8_t* sum, const GfFactor& factor, const uint8_t* source, size_t bytes) {
  const uint8_t* const product = kGfTables.product[factor.coefficient];
  for (size_t i = 0; i < bytes; ++i) sum[i] ^= product[source[i]];
}

// The sums of a job, for each of its outputs.
inline std::vector<Bytes> SumsOf(const Job& job) {
  std::vector<Bytes> sums(job.m(), Bytes(job.bytes));
  for (size_t j = 0; j < job.k(); ++j) {
    for (size_t r = 0; r < job.m(); ++r) {
      AddProduct(sums[r].data(), job.factors[j * job.m() + r], job.sources[j], job.bytes);
    }
  }
  return sums;
}

// What the outputs of a job should be after the operation.
inline std::vector<Bytes> ExpectedOf(const Operation& operation, const Job& job) {
  std::vector<Bytes> sums = SumsOf(job);
  if (operation.adds) {
    for (size_t r = 0; r < job.m(); ++r)
      AddProduct(sums[r].data(), FactorOf(1), job.parity[r], job.bytes);
  }
  return sums;
}

// The runs of a job, each between pages that fault, so that any byte beside it is missed.
class GuardedRuns {
 public:
  // Gives the job runs of up to `most` bytes.
  GuardedRuns(const Operation& operation, Job& job, size_t most) : job_(job) {
    for (size_t i = 0; i < job.k() + job.m(); ++i) {
      pages_.push_back(std::make_unique<GuardedPages>(most, static_cast<uint32_t>(i)));
    }
    Place(pages_[0]->bytes(), false);
    expected_ = ExpectedOf(operation, job);
    for (const uint8_t* run : job.parity) before_.emplace_back(run, run + job.bytes);
  }

  // Makes the job one of this many bytes, which end or start at a page that faults.
  void Place(size_t bytes, bool at_end) {
    job_.bytes = bytes;
    std::vector<uint8_t*> runs;
    for (const auto& run : pages_) runs.push_back(at_end ? run->end() - bytes : run->start());
    std::copy_n(runs.begin(), job_.k(), job_.sources.begin());
    std::copy_n(runs.begin() + static_cast<ptrdiff_t>(job_.k()), job_.m(), job_.parity.begin());
  }

  // Whether the operation gave output r, which is then as it was before.
  bool TakeBack(size_t r) {
    uint8_t* run = job_.parity[r];
    const auto at = static_cast<size_t>(run - pages_[job_.k() + r]->start());
    const bool is_right = std::equal(run, run + job_.bytes, expected_[r].data() + at);
    std::copy_n(before_[r].data() + at, job_.bytes, run);
    return is_right;
  }

 private:
  Job& job_;
  std::vector<std::unique_ptr<GuardedPages>> pages_;
  std::vector<Bytes> expected_;  // of the whole pages
  std::vector<Bytes> before_;
};

}  // namespace parity::kernels

#endif  // PARITY_TESTS_KERNELS_OPERATION_H_
