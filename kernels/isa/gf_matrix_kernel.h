// Sums of coefficients times sources over GF(2^8), for any vector type V that multiplies:
// besides what xor_kernel.h needs,
//   Operand Prepare(Reg)                 what multiplications by different factors share
//   Factor LoadFactor(uint8_t)           a coefficient in the form that V multiplies by
//   Reg MultiplyAdd(Reg, Operand, Factor)
//   kSources                             how many sources a step takes: 2 if V also has
//   Reg MultiplyAdd(Reg, Operand, Factor, Operand, Factor)
//   kGfRows, kGfLines<rows>              outputs per pass and lines per step, as registers allow
//
// For ISA files only (see cover.h).
#ifndef PARITY_KERNELS_ISA_GF_MATRIX_KERNEL_H_
#define PARITY_KERNELS_ISA_GF_MATRIX_KERNEL_H_

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "cover.h"
#include "parity/kernels/kernel_table.h"
#include "xor_kernel.h"

namespace parity::kernels {
namespace {

// Emerald Rapids: up to 1.5 times the rate if all is aligned, else 5 % more.
constexpr AlignFrom kGfAlignFrom = {1024, 16384};

// Bytes of each output staged at a time when outputs and sources are the same memory.
constexpr size_t kGfStageBytes = 64;

// kRows outputs of a job, from one walk over the sources.
template <int kRows>
struct GfRowsOp {
  uint8_t* const* dst;
  const uint8_t* const* src;
  const uint8_t* coefficients;  // of the first source and the first of the rows
  size_t k;
  size_t stride;  // between the coefficients of one source and of the next

  template <class V, int kLines>
  [[gnu::always_inline]] void Lines(size_t at, size_t last) const {
    typename V::Reg sum[kRows][kLines];
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 16
      for (int line = 0; line < kLines; ++line) sum[row][line] = V::Zero();
    }
    size_t j = 0;
    for (; j + V::kSources <= k; j += V::kSources) Step<V, V::kSources>(j, at, last, sum);
    for (; j < k; ++j) Step<V, 1>(j, at, last, sum);
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 16
      for (int line = 0; line < kLines; ++line) {
        V::Store(dst[row] + LineOffset<V, kLines>(line, at, last), sum[row][line]);
      }
    }
  }

  template <class V, int kSources, int kLines>
  [[gnu::always_inline]] void Step(size_t j, size_t at, size_t last,
                                   typename V::Reg (&sum)[kRows][kLines]) const {
    typename V::Operand x[kSources][kLines];
#pragma GCC unroll 2
    for (int s = 0; s < kSources; ++s) {
      const uint8_t* source = src[j + s];
#pragma GCC unroll 16
      for (int line = 0; line < kLines; ++line) {
        x[s][line] = V::Prepare(V::Load(source + LineOffset<V, kLines>(line, at, last)));
      }
    }
    const uint8_t* c = coefficients + j * stride;
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

template <class V, int kRows>
void GfRows(const GfMatrixJob& job, size_t first, size_t rows, size_t head) {
  if constexpr (kRows > 1) {
    if (rows < kRows) return GfRows<V, kRows - 1>(job, first, rows, head);
  }
  const GfRowsOp<kRows> op = {job.dst + first, job.src, job.coefficients + first, job.k, job.m};
  Cover<V, V::template kGfLines<kRows>>(op, job.bytes, head);
}

// REQUIRES: m <= V::kGfRows, or no output is a source.
template <class V>
void GfMatrixDirect(const GfMatrixJob& job) {
  constexpr size_t kMost = V::kGfRows;
  const size_t head = HeadToAlign<V>(job.dst, job.m, job.src, job.k, job.bytes, kGfAlignFrom);
  size_t first = 0;
  while (first < job.m) {
    const size_t left = job.m - first;
    // The last two passes share what is left, as a pass of one row costs almost as much as one of
    // two.
    const size_t rows = left <= kMost ? left : left < 2 * kMost ? (left + 1) / 2 : kMost;
    GfRows<V, kMost>(job, first, rows, head);
    first += rows;
  }
}

bool OutputIsSource(const GfMatrixJob& job) {
  for (size_t r = 0; r < job.m; ++r) {
    for (size_t j = 0; j < job.k; ++j) {
      if (job.dst[r] == job.src[j]) return true;
    }
  }
  return false;
}

// Computes all outputs of a piece before it writes any, which later passes over the same piece of
// the sources would otherwise miss.
template <class V>
void GfMatrixStaged(const GfMatrixJob& job) {
  alignas(64) uint8_t stage[kMaxGfShards][kGfStageBytes];
  uint8_t* dst[kMaxGfShards];
  const uint8_t* src[kMaxGfShards];
  for (size_t r = 0; r < job.m; ++r) dst[r] = stage[r];
  for (size_t at = 0; at < job.bytes; at += kGfStageBytes) {
    const size_t bytes = job.bytes - at < kGfStageBytes ? job.bytes - at : kGfStageBytes;
    for (size_t j = 0; j < job.k; ++j) src[j] = job.src[j] + at;
    GfMatrixDirect<V>({dst, src, job.coefficients, job.k, job.m, bytes});
    for (size_t r = 0; r < job.m; ++r) {
      const uint8_t* staged = stage[r];
      Cover<V, 2>(XorOp{{job.dst[r] + at, &staged, 1, bytes}}, bytes, 0);
    }
  }
}

template <class V>
void GfMatrix(const GfMatrixJob* jobs, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const GfMatrixJob& job = jobs[i];
    assert(job.k >= 1 && job.k <= kMaxGfShards);
    assert(job.m >= 1 && job.m <= kMaxGfShards);
    if (job.bytes == 0) continue;
    if (job.m > V::kGfRows && OutputIsSource(job)) {
      GfMatrixStaged<V>(job);
    } else {
      GfMatrixDirect<V>(job);
    }
  }
  V::ClearRegisters();
}

}  // namespace
}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_GF_MATRIX_KERNEL_H_
