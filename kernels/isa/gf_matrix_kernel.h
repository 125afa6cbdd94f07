// Sums of coefficients times sources over GF(2^8), for any vector type V that multiplies:
// besides what xor_kernel.h needs,
//   Operand Prepare(Reg)                 what multiplications by different factors share
//   Factor LoadFactor(uint8_t)           a coefficient in the form that V multiplies by
//   Reg MultiplyAdd(Reg, Operand, Factor)
//   kSources                             how many sources a step takes: 2 if V also has
//   Reg MultiplyAdd(Reg, Operand, Factor, Operand, Factor)
//   kGfLines<rows>                       lines per step for 1 to 4 outputs, as registers allow
//
// For ISA files only (see cover.h).
#ifndef PARITY_KERNELS_ISA_GF_MATRIX_KERNEL_H_
#define PARITY_KERNELS_ISA_GF_MATRIX_KERNEL_H_

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "cover.h"
#include "parity/kernels/kernel_table.h"
#include "sinks.h"
#include "xor_kernel.h"

namespace parity::kernels {
namespace {

// Bytes of each output staged at a time when outputs and sources are the same memory.
constexpr size_t kGfStageBytes = 64;

// Sources as they are, or their difference from what they were.
struct Plain {
  const uint8_t* const* src;

  template <class V>
  [[gnu::always_inline]] typename V::Reg Load(size_t j, size_t offset) const {
    return V::Load(src[j] + offset);
  }
};
struct Delta {
  const uint8_t* const* src;
  const uint8_t* const* old;

  template <class V>
  [[gnu::always_inline]] typename V::Reg Load(size_t j, size_t offset) const {
    return V::Xor(V::Load(src[j] + offset), V::Load(old[j] + offset));
  }
};

// kRows outputs of a job, from one walk over the sources.
template <int kRows, class Sources, class Sink>
struct GfRowsOp : Sources {
  static constexpr bool kMayHaveMany = true;
  const GfFactor* factors;  // of the first source and the first of the rows
  size_t k;
  size_t stride;  // between the factors of one source and of the next
  Sink sink;

  template <class V, int kLines>
  [[gnu::always_inline]] void Lines(size_t at, size_t last) const {
    typename V::Reg sum[kRows][kLines];
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 16
      for (int line = 0; line < kLines; ++line) {
        if constexpr (Sink::kStarts) {
          sum[row][line] = sink.template Start<V>(row, LineOffset<V, kLines>(line, at, last));
        } else {
          sum[row][line] = V::Zero();
        }
      }
    }
    size_t j = 0;
    for (; j + V::kSources <= k; j += V::kSources) Step<V, V::kSources>(j, at, last, sum);
    if constexpr (V::kSources > 1) {
      if (j < k) Step<V, 1>(j, at, last, sum);
    }
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
      sink.template Finish<V, kLines>(row, sum[row], at, last);
    }
  }

 private:
  template <class V, int kSources, int kLines>
  [[gnu::always_inline]] void Step(size_t j, size_t at, size_t last,
                                   typename V::Reg (&sum)[kRows][kLines]) const {
    typename V::Operand x[kSources][kLines];
#pragma GCC unroll 2
    for (int s = 0; s < kSources; ++s) {
#pragma GCC unroll 16
      for (int line = 0; line < kLines; ++line) {
        x[s][line] =
            V::Prepare(this->template Load<V>(j + s, LineOffset<V, kLines>(line, at, last)));
      }
    }
    const GfFactor* c = factors + j * stride;
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
      const typename V::Factor f = V::LoadFactor(c[row]);
      if constexpr (kSources == 2) {
        const typename V::Factor g = V::LoadFactor(c[stride + row]);
#pragma GCC unroll 16
        for (int line = 0; line < kLines; ++line) {
          sum[row][line] = V::MultiplyAdd(sum[row][line], x[0][line], f, x[1][line], g);
        }
      } else {
#pragma GCC unroll 16
        for (int line = 0; line < kLines; ++line) {
          sum[row][line] = V::MultiplyAdd(sum[row][line], x[0][line], f);
        }
      }
    }
  }
};

// A job whose sources are differences: a type of its own, which chooses the kernels.
struct GfDeltaJob : GfMatrixJob {
  explicit GfDeltaJob(const GfMatrixJob& job) : GfMatrixJob(job) {}
};

// The op for outputs first to first + kRows - 1 of a job.
template <int kRows, template <int> class Sink>
GfRowsOp<kRows, Plain, Sink<kRows>> GfOpFor(const GfMatrixJob& job, size_t first) {
  return {{job.src}, job.factors + first, job.k, job.m, Sink<kRows>(job.dst + first)};
}
template <int kRows, template <int> class Sink>
GfRowsOp<kRows, Delta, Sink<kRows>> GfOpFor(const GfDeltaJob& job, size_t first) {
  return {{job.src, job.old}, job.factors + first, job.k, job.m, Sink<kRows>(job.dst + first)};
}
template <int kRows, template <int> class Sink>
GfRowsOp<kRows, Plain, Sink<kRows>> GfOpFor(const GfCompareJob& job, size_t first) {
  return {{job.src},
          job.factors + first,
          job.k,
          job.m,
          Sink<kRows>(job.parity + first, job.first_difference + first)};
}

template <class V, int kRows, template <int> class Sink, class Job>
[[gnu::noinline]] void GfShortRun(const Job& job, size_t first) {
  CoverShort<V>(GfOpFor<kRows, Sink>(job, first), 0, job.bytes);
}

// InnerSink: for the part of the run that is not its ends.
template <class V, int kRows, template <int> class Sink, template <int> class InnerSink, class Job>
[[gnu::noinline]] void GfLongRun(const Job& job, size_t first, size_t head) {
  CoverLong<V, V::template kGfLines<kRows>>(GfOpFor<kRows, Sink>(job, first),
                                            GfOpFor<kRows, InnerSink>(job, first), job.bytes, head);
}

// How to run a job for 1 to kGfRows of its outputs.
template <class Job>
struct GfRuns {
  void (*short_run)(const Job& job, size_t first);
  void (*long_run)(const Job& job, size_t first, size_t head);
};

template <class V, class Job, template <int> class Sink, template <int> class InnerSink = Sink>
constexpr GfRuns<Job> kGfRuns[] = {
    {GfShortRun<V, 1, Sink, Job>, GfLongRun<V, 1, Sink, InnerSink, Job>},
    {GfShortRun<V, 2, Sink, Job>, GfLongRun<V, 2, Sink, InnerSink, Job>},
    {GfShortRun<V, 3, Sink, Job>, GfLongRun<V, 3, Sink, InnerSink, Job>},
    {GfShortRun<V, 4, Sink, Job>, GfLongRun<V, 4, Sink, InnerSink, Job>},
};
constexpr size_t kGfRows = 4;

// Calls pass(runs, first) for all outputs of a job, a few at a time.
template <class V, template <int> class Sink, template <int> class InnerSink, class Job, class Pass>
[[gnu::always_inline]] inline void ForEachGroupOfRows(const Job& job, const Pass& pass) {
  size_t first = 0;
  do {
    const size_t left = job.m - first;
    // The last two passes share what is left, as a pass of one row costs almost as much as one of
    // two.
    const size_t rows = left <= kGfRows ? left : left < 2 * kGfRows ? (left + 1) / 2 : kGfRows;
    pass(kGfRuns<V, Job, Sink, InnerSink>[rows - 1], first);
    first += rows;
  } while (first < job.m);
}

// REQUIRES: m <= kGfRows, or no output is a source.
template <class V, template <int> class Sink, class Job>
void GfShort(const Job& job) {
  ForEachGroupOfRows<V, Sink, Sink>(
      job, [&](const GfRuns<Job>& runs, size_t first) { runs.short_run(job, first); });
}

// REQUIRES: the same. With a StreamSink inside: job.bytes >= 3 * V::kBytes and `head` aligns all
// outputs.
template <class V, template <int> class Sink, template <int> class InnerSink = Sink, class Job>
void GfLong(const Job& job, size_t head) {
  ForEachGroupOfRows<V, Sink, InnerSink>(
      job, [&](const GfRuns<Job>& runs, size_t first) { runs.long_run(job, first, head); });
}

bool OutputIsAmong(const uint8_t* const* sources, const GfMatrixJob& job) {
  for (size_t r = 0; r < job.m; ++r) {
    for (size_t j = 0; j < job.k; ++j) {
      if (job.dst[r] == sources[j]) return true;
    }
  }
  return false;
}

// Computes all sums before it writes any output.
// REQUIRES: job.bytes <= kGfStageBytes.
template <class V>
void GfStagedPiece(const GfMatrixJob& job, bool adds) {
  // Of the outputs' sums, and of the sources if they are differences or shorter than a vector.
  alignas(64) uint8_t sums[kMaxGfShards][kGfStageBytes];
  alignas(64) uint8_t sources[kMaxGfShards][kGfStageBytes];
  uint8_t* dst[kMaxGfShards];
  const uint8_t* src[kMaxGfShards];
  const bool is_delta = job.old != nullptr;
  const size_t bytes = job.bytes < NarrowestBytes<V>() ? NarrowestBytes<V>() : job.bytes;
  for (size_t r = 0; r < job.m; ++r) dst[r] = sums[r];
  for (size_t j = 0; j < job.k; ++j) {
    if (is_delta) {
      const uint8_t* const terms[] = {job.src[j], job.old[j]};
      XorPiece<V>(sources[j], terms, 2, job.bytes);
    } else if (bytes != job.bytes) {
      XorPiece<V>(sources[j], &job.src[j], 1, job.bytes);
    }
    src[j] = is_delta || bytes != job.bytes ? sources[j] : job.src[j];
  }
  const GfMatrixJob piece = {dst, src, job.factors, job.k, job.m, bytes};
  if (bytes < 2 * V::kBytes) {
    GfShort<V, StoreSink>(piece);
  } else {
    GfLong<V, StoreSink>(piece, 0);
  }
  for (size_t r = 0; r < job.m; ++r) {
    const uint8_t* const terms[] = {sums[r], job.dst[r]};
    XorPiece<V>(job.dst[r], terms, adds ? 2 : 1, job.bytes);
  }
}

// A job with outputs that are sources and that later passes would miss, or one shorter than the
// narrowest vector.
template <class V>
[[gnu::noinline]] void GfStaged(const GfMatrixJob& job, bool adds) {
  uint8_t* dst[kMaxGfShards];
  const uint8_t* src[kMaxGfShards];
  const uint8_t* old[kMaxGfShards];
  const bool is_delta = adds && job.old != nullptr;
  for (size_t at = 0; at < job.bytes; at += kGfStageBytes) {
    for (size_t r = 0; r < job.m; ++r) dst[r] = job.dst[r] + at;
    for (size_t j = 0; j < job.k; ++j) {
      src[j] = job.src[j] + at;
      if (is_delta) old[j] = job.old[j] + at;
    }
    const size_t bytes = job.bytes - at < kGfStageBytes ? job.bytes - at : kGfStageBytes;
    GfStagedPiece<V>({dst, src, job.factors, job.k, job.m, bytes, is_delta ? old : nullptr}, adds);
  }
}

template <class V>
size_t HeadOf(const GfMatrixJob& job, const Tuning& tuning) {
  return HeadToAlign<V>(job.dst, job.m, job.src, job.k, job.bytes,
                        {tuning.gf_align_all_from, tuning.gf_align_any_from});
}

template <class V>
bool Streams(const GfMatrixJob& job, const Tuning& tuning) {
  return job.bytes >= 3 * V::kBytes && (job.k + job.m) * job.bytes >= tuning.gf_stream_from &&
         AllAtDistance<V>(job.dst, job.m, DistanceToAligned<V>(job.dst[0]));
}

template <class V>
void GfMatrix(const GfMatrixJob* jobs, size_t count, const Tuning& tuning) {
  bool streamed = false;
  for (size_t i = 0; i < count; ++i) {
    const GfMatrixJob& job = jobs[i];
    assert(job.k >= 1 && job.k <= kMaxGfShards);
    assert(job.m >= 1 && job.m <= kMaxGfShards);
    if (job.bytes < NarrowestBytes<V>() || (job.m > kGfRows && OutputIsAmong(job.src, job))) {
      GfStaged<V>(job, false);
    } else if (job.bytes < 2 * V::kBytes) {
      GfShort<V, StoreSink>(job);
    } else if (Streams<V>(job, tuning)) {
      GfLong<V, StoreSink, StreamSink>(job, DistanceToAligned<V>(job.dst[0]));
      streamed = true;
    } else {
      GfLong<V, StoreSink>(job, HeadOf<V>(job, tuning));
    }
  }
  if (streamed) V::FenceStreams();
  V::ClearRegisters();
}

// Never streams: it has just read the lines that it writes.
template <class V, class Job>
void GfAdd(const Job& job, const Tuning& tuning) {
  if (job.bytes < 2 * V::kBytes) {
    GfShort<V, AddSink>(job);
  } else {
    GfLong<V, AddSink>(job, HeadOf<V>(job, tuning));
  }
}

template <class V>
void GfMatrixAdd(const GfMatrixJob* jobs, size_t count, const Tuning& tuning) {
  for (size_t i = 0; i < count; ++i) {
    const GfMatrixJob& job = jobs[i];
    assert(job.k >= 1 && job.k <= kMaxGfShards);
    assert(job.m >= 1 && job.m <= kMaxGfShards);
    const bool is_delta = job.old != nullptr;
    if (job.bytes < NarrowestBytes<V>() ||
        (job.m > kGfRows &&
         (OutputIsAmong(job.src, job) || (is_delta && OutputIsAmong(job.old, job))))) {
      GfStaged<V>(job, true);
    } else if (is_delta) {
      GfAdd<V>(GfDeltaJob(job), tuning);
    } else {
      GfAdd<V>(job, tuning);
    }
  }
  V::ClearRegisters();
}

template <class V>
[[gnu::noinline]] void GfCompareSmallRun(const GfCompareJob& job) {
  Slots src(job.src, job.k, job.bytes);
  Slots parity(job.parity, job.m, job.bytes);
  // Beyond the run everything is 0, so nothing differs there.
  GfShort<V, CompareSink>(GfCompareJob{parity.pointers, src.pointers, job.factors, job.k, job.m,
                                       NarrowestBytes<V>(), job.first_difference});
}

template <class V>
void GfCompare(const GfCompareJob* jobs, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const GfCompareJob& job = jobs[i];
    assert(job.k >= 1 && job.k <= kMaxGfShards);
    assert(job.m >= 1 && job.m <= kMaxGfShards);
    for (size_t r = 0; r < job.m; ++r) job.first_difference[r] = job.bytes;
    if (job.bytes == 0) continue;
    if (job.bytes < NarrowestBytes<V>()) {
      GfCompareSmallRun<V>(job);
    } else if (job.bytes < 2 * V::kBytes) {
      GfShort<V, CompareSink>(job);
    } else {
      GfLong<V, CompareSink>(job, 0);
    }
  }
  V::ClearRegisters();
}

}  // namespace
}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_GF_MATRIX_KERNEL_H_
