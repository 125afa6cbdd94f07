// P+Q of RAID-6 for any vector type V: besides what xor_kernel.h needs,
//   Reg Pin(Reg)                         keeps a value in a register
//   Reg DoubleAdd(Reg x, Reg y)          2 * x + y
//   Reg DoubleTwiceAdd(Reg x, Reg u, Reg v)   4 * x + 2 * u + v
//
// Q is a polynomial in 2, evaluated by Horner's rule from the last source down.
//
// For ISA files only (see cover.h).
#ifndef PARITY_KERNELS_ISA_PQ_KERNEL_H_
#define PARITY_KERNELS_ISA_PQ_KERNEL_H_

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "cover.h"
#include "parity/kernels/kernel_table.h"
#include "sinks.h"
#include "small_run.h"

namespace parity::kernels {
namespace {

template <class Sink>
struct PqOp {
  static constexpr bool kMayHaveMany = true;
  const uint8_t* const* src;
  size_t k;
  Sink sink;  // row 0 is P, row 1 is Q

  template <class V, int kLines>
  [[gnu::always_inline]] void Lines(size_t at, size_t last) const {
    typename V::Reg p[kLines];
    typename V::Reg q[kLines];
    size_t j = k - 1;
#pragma GCC unroll 16
    for (int line = 0; line < kLines; ++line) {
      p[line] = q[line] = V::Load(src[j] + LineOffset<V, kLines>(line, at, last));
    }
    for (; j >= 2; j -= 2) {
      const uint8_t* second = src[j - 1];
      const uint8_t* first = src[j - 2];
#pragma GCC unroll 16
      for (int line = 0; line < kLines; ++line) {
        const size_t offset = LineOffset<V, kLines>(line, at, last);
        const typename V::Reg u = V::Pin(V::Load(second + offset));
        const typename V::Reg v = V::Pin(V::Load(first + offset));
        p[line] = V::Xor3(p[line], u, v);
        q[line] = V::DoubleTwiceAdd(q[line], u, v);
      }
    }
    if (j == 1) {
      const uint8_t* source = src[0];
#pragma GCC unroll 16
      for (int line = 0; line < kLines; ++line) {
        const typename V::Reg x = V::Pin(V::Load(source + LineOffset<V, kLines>(line, at, last)));
        p[line] = V::Xor(p[line], x);
        q[line] = V::DoubleAdd(q[line], x);
      }
    }
    sink.template Finish<V, kLines>(0, p, at, last);
    sink.template Finish<V, kLines>(1, q, at, last);
  }
};

constexpr int kPqLines = 4;

template <template <int> class Sink>
PqOp<Sink<2>> PqOpFor(const PqJob& job) {
  uint8_t* const dst[] = {job.p, job.q};
  return {job.src, job.k, Sink<2>(dst)};
}
template <template <int> class Sink>
PqOp<Sink<2>> PqOpFor(const PqCompareJob& job) {
  const uint8_t* const parity[] = {job.p, job.q};
  return {job.src, job.k, Sink<2>(parity, job.first_difference)};
}

template <class V, template <int> class Sink, class Job>
[[gnu::noinline]] void PqShortRun(const Job& job) {
  CoverShort<V>(PqOpFor<Sink>(job), 0, job.bytes);
}

// InnerSink: for the part of the run that is not its ends.
template <class V, template <int> class Sink, template <int> class InnerSink, class Job>
[[gnu::noinline]] void PqLongRun(const Job& job, size_t head) {
  CoverLong<V, kPqLines>(PqOpFor<Sink>(job), PqOpFor<InnerSink>(job), job.bytes, head);
}

// A run shorter than the narrowest vector.
template <class V>
[[gnu::noinline]] void PqSmallRun(const PqJob& job) {
  Slots src(job.src, job.k, job.bytes);
  Slot p, q;
  PqShortRun<V, StoreSink>(PqJob{reinterpret_cast<uint8_t*>(&p), reinterpret_cast<uint8_t*>(&q),
                                 src.pointers, job.k, NarrowestBytes<V>()});
  StoreSlot(job.p, p, job.bytes);
  StoreSlot(job.q, q, job.bytes);
}

template <class V>
void PqGenerate(const PqJob* jobs, size_t count, const Tuning& tuning) {
  bool streamed = false;
  for (size_t i = 0; i < count; ++i) {
    const PqJob& job = jobs[i];
    assert(job.k >= 1 && job.k <= kMaxGfShards);
    if (job.bytes < 2 * V::kBytes) {
      if (job.bytes >= NarrowestBytes<V>()) {
        PqShortRun<V, StoreSink>(job);
      } else if (job.bytes > 0) {
        PqSmallRun<V>(job);
      }
      continue;
    }
    uint8_t* const dst[] = {job.p, job.q};
    if (job.bytes >= 3 * V::kBytes && (job.k + 2) * job.bytes >= tuning.gf_stream_from &&
        AllAtDistance<V>(dst, 2, DistanceToAligned<V>(job.p))) {
      PqLongRun<V, StoreSink, StreamSink>(job, DistanceToAligned<V>(job.p));
      streamed = true;
    } else {
      PqLongRun<V, StoreSink, StoreSink>(
          job, HeadToAlign<V>(dst, 2, job.src, job.k, job.bytes,
                              {tuning.gf_align_all_from, tuning.gf_align_any_from}));
    }
  }
  if (streamed) V::FenceStreams();
  V::ClearRegisters();
}

template <class V>
[[gnu::noinline]] void PqCompareSmallRun(const PqCompareJob& job) {
  Slots src(job.src, job.k, job.bytes);
  const uint8_t* const stored[] = {job.p, job.q};
  Slots parity(stored, 2, job.bytes);
  // Beyond the run everything is 0, so nothing differs there.
  PqShortRun<V, CompareSink>(PqCompareJob{parity.pointers[0], parity.pointers[1], src.pointers,
                                          job.k, NarrowestBytes<V>(), job.first_difference});
}

template <class V>
void PqCompare(const PqCompareJob* jobs, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const PqCompareJob& job = jobs[i];
    assert(job.k >= 1 && job.k <= kMaxGfShards);
    job.first_difference[0] = job.bytes;
    job.first_difference[1] = job.bytes;
    if (job.bytes == 0) continue;
    if (job.bytes < NarrowestBytes<V>()) {
      PqCompareSmallRun<V>(job);
    } else if (job.bytes < 2 * V::kBytes) {
      PqShortRun<V, CompareSink>(job);
    } else {
      PqLongRun<V, CompareSink, CompareSink>(job, 0);
    }
  }
  V::ClearRegisters();
}

}  // namespace
}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_PQ_KERNEL_H_
