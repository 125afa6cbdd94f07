// Kernels that compute nothing, but note what they are given.
#ifndef PARITY_TESTS_CODEC_NOTING_TABLE_H_
#define PARITY_TESTS_CODEC_NOTING_TABLE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "parity/kernels/kernel_table.h"

namespace parity::codec {

struct NotedJob {
  std::vector<const uint8_t*> sources;
  std::vector<uint8_t*> dst;
  std::vector<uint8_t> factors;  // of a matrix
  size_t bytes;
  std::vector<const uint8_t*> old = {};  // of an update

  friend bool operator==(const NotedJob& a, const NotedJob& b) {
    return a.sources == b.sources && a.dst == b.dst && a.factors == b.factors &&
           a.bytes == b.bytes && a.old == b.old;
  }
};
using NotedJobs = std::vector<NotedJob>;

// The jobs of each call, by operation.
struct NotedCalls {
  std::vector<NotedJobs> xor_generate;
  std::vector<NotedJobs> pq_generate;
  std::vector<NotedJobs> gf_matrix;
  std::vector<NotedJobs> gf_matrix_add;
  // Of comparisons by any kernel: the bytes of all jobs of a call.
  std::vector<size_t> compared_bytes;
};

inline NotedCalls noted_calls;

// Returns the calls, of which there are none for now.
inline NotedCalls& ForgetNotedCalls() {
  noted_calls = {};
  return noted_calls;
}

inline NotedJob Noted(const kernels::XorJob& job) {
  return {{job.src, job.src + job.k}, {job.dst}, {}, job.bytes};
}
inline NotedJob Noted(const kernels::PqJob& job) {
  return {{job.src, job.src + job.k}, {job.p, job.q}, {}, job.bytes};
}
inline NotedJob Noted(const kernels::GfMatrixJob& job) {
  NotedJob noted = {{job.src, job.src + job.k}, {job.dst, job.dst + job.m}, {}, job.bytes};
  if (job.old != nullptr) noted.old.assign(job.old, job.old + job.k);
  for (size_t i = 0; i < job.k * job.m; ++i) {
    noted.factors.push_back(static_cast<uint8_t>(job.factors[i].coefficient));
  }
  return noted;
}

template <class Job>
void Note(std::vector<NotedJobs>& calls, const Job* jobs, size_t count) {
  calls.emplace_back();
  for (const Job* job = jobs; job != jobs + count; ++job) calls.back().push_back(Noted(*job));
}

// Finds a difference at the start of every parity shard, or none.
inline bool noted_comparisons_differ = false;

template <class Job>
void NoteComparison(const Job* jobs, size_t count, size_t (*outputs)(const Job&)) {
  size_t bytes = 0;
  for (const Job* job = jobs; job != jobs + count; ++job) {
    bytes += job->bytes;
    std::fill_n(job->first_difference, outputs(*job), noted_comparisons_differ ? 0 : job->bytes);
  }
  noted_calls.compared_bytes.push_back(bytes);
}

inline constexpr kernels::KernelTable kNotingTable = {
    "noting",
    0,
    false,
    [](const kernels::XorJob* jobs, size_t count, const kernels::Tuning&) {
      Note(noted_calls.xor_generate, jobs, count);
    },
    [](const kernels::PqJob* jobs, size_t count, const kernels::Tuning&) {
      Note(noted_calls.pq_generate, jobs, count);
    },
    [](const kernels::GfMatrixJob* jobs, size_t count, const kernels::Tuning&) {
      Note(noted_calls.gf_matrix, jobs, count);
    },
    [](const kernels::GfMatrixJob* jobs, size_t count, const kernels::Tuning&) {
      Note(noted_calls.gf_matrix_add, jobs, count);
    },
    [](const kernels::XorCompareJob* jobs, size_t count) {
      NoteComparison<kernels::XorCompareJob>(jobs, count, [](const auto&) { return size_t{1}; });
    },
    [](const kernels::PqCompareJob* jobs, size_t count) {
      NoteComparison<kernels::PqCompareJob>(jobs, count, [](const auto&) { return size_t{2}; });
    },
    [](const kernels::GfCompareJob* jobs, size_t count) {
      NoteComparison<kernels::GfCompareJob>(jobs, count, [](const auto& job) { return job.m; });
    }};

}  // namespace parity::codec

#endif  // PARITY_TESTS_CODEC_NOTING_TABLE_H_
