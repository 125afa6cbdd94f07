// XOR of any number of sources, for any vector type V of one ISA:
//   Reg, kBytes, Narrower (the type of half the width), Load, Store, Stream, FenceStreams, Zero,
//   IsZero, Or, Xor, Xor3, ClearRegisters.
//
// For ISA files only (see cover.h).
#ifndef PARITY_KERNELS_ISA_XOR_KERNEL_H_
#define PARITY_KERNELS_ISA_XOR_KERNEL_H_

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "cover.h"
#include "parity/kernels/kernel_table.h"
#include "sinks.h"
#include "small_run.h"

namespace parity::kernels {
namespace {

// Lines of one source that are read before the next source. More lines make better use of a DRAM
// page, fewer of L1's ways.
constexpr int kXorLines = 4;
constexpr int kXorStreamLines = 8;

template <class V, int kLines>
[[gnu::always_inline]] inline void XorLoad(const uint8_t* source, size_t at, size_t last,
                                           typename V::Reg (&sum)[kLines]) {
#pragma GCC unroll 16
  for (int line = 0; line < kLines; ++line) {
    sum[line] = V::Load(source + LineOffset<V, kLines>(line, at, last));
  }
}

template <class V, int kLines>
[[gnu::always_inline]] inline void XorAdd(const uint8_t* source, size_t at, size_t last,
                                          typename V::Reg (&sum)[kLines]) {
#pragma GCC unroll 16
  for (int line = 0; line < kLines; ++line) {
    sum[line] = V::Xor(sum[line], V::Load(source + LineOffset<V, kLines>(line, at, last)));
  }
}

template <class V, int kLines>
[[gnu::always_inline]] inline void XorAdd(const uint8_t* first, const uint8_t* second, size_t at,
                                          size_t last, typename V::Reg (&sum)[kLines]) {
#pragma GCC unroll 16
  for (int line = 0; line < kLines; ++line) {
    const size_t offset = LineOffset<V, kLines>(line, at, last);
    sum[line] = V::Xor3(sum[line], V::Load(first + offset), V::Load(second + offset));
  }
}

// A few sources have a kernel of their own, with the pointers in registers: up to 1.5 times the
// rate in L1. Beyond 8 sources not all fit, which pays for the long part of a run only.
template <size_t kSources>
struct FewSources {};
struct AnySources {};

template <size_t kSources, class Sink>
struct XorOfFewOp {
  static constexpr bool kMayHaveMany = false;
  const uint8_t* src[kSources];
  Sink sink;

  XorOfFewOp(const uint8_t* const* sources, const Sink& output) : sink(output) {
#pragma GCC unroll 16
    for (size_t j = 0; j < kSources; ++j) src[j] = sources[j];
  }

  template <class V, int kLines>
  [[gnu::always_inline]] void Lines(size_t at, size_t last) const {
    typename V::Reg sum[kLines];
    XorLoad<V, kLines>(src[0], at, last, sum);
#pragma GCC unroll 16
    for (size_t j = 1; j + 2 <= kSources; j += 2) {
      XorAdd<V, kLines>(src[j], src[j + 1], at, last, sum);
    }
    if constexpr (kSources % 2 == 0) XorAdd<V, kLines>(src[kSources - 1], at, last, sum);
    sink.template Finish<V, kLines>(0, sum, at, last);
  }
};

template <class Sink>
struct XorOp {
  static constexpr bool kMayHaveMany = true;
  const uint8_t* const* src;
  size_t k;
  Sink sink;

  template <class V, int kLines>
  [[gnu::always_inline]] void Lines(size_t at, size_t last) const {
    typename V::Reg sum[kLines];
    XorLoad<V, kLines>(src[0], at, last, sum);
    size_t j = 1;
    for (; j + 2 <= k; j += 2) XorAdd<V, kLines>(src[j], src[j + 1], at, last, sum);
    if (j < k) XorAdd<V, kLines>(src[j], at, last, sum);
    sink.template Finish<V, kLines>(0, sum, at, last);
  }
};

template <class Sink, size_t kSources>
XorOfFewOp<kSources, Sink> XorOpFor(const XorJob& job, FewSources<kSources>) {
  return {job.src, Sink(&job.dst)};
}
template <class Sink>
XorOp<Sink> XorOpFor(const XorJob& job, AnySources) {
  return {job.src, job.k, Sink(&job.dst)};
}

// The sum of runs of 1 to 16 bytes.
inline Slot XorOfSlots(const uint8_t* const* src, size_t k, size_t bytes) {
  Slot sum = {0, 0};
  for (size_t j = 0; j < k; ++j) {
    const Slot slot = LoadSlot(src[j], bytes);
    sum.low ^= slot.low;
    sum.high ^= slot.high;
  }
  return sum;
}

template <class V, class Sources>
[[gnu::noinline]] void XorShortRun(const XorJob& job) {
  CoverShort<V>(XorOpFor<StoreSink<1>>(job, Sources()), 0, job.bytes);
}

// Inner: of the part of the run that is not its ends.
template <class V, class Sources, class InnerSources = Sources>
[[gnu::noinline]] void XorLongRun(const XorJob& job, size_t head) {
  CoverLong<V, kXorLines>(XorOpFor<StoreSink<1>>(job, Sources()),
                          XorOpFor<StoreSink<1>>(job, InnerSources()), job.bytes, head);
}

// Any length but 0, without the refinements.
template <class V>
void XorPiece(uint8_t* dst, const uint8_t* const* src, size_t k, size_t bytes) {
  const XorJob job = {dst, src, k, bytes};
  if (bytes < NarrowestBytes<V>()) {
    StoreSlot(dst, XorOfSlots(src, k, bytes), bytes);
  } else if (bytes < 2 * V::kBytes) {
    XorShortRun<V, AnySources>(job);
  } else {
    XorLongRun<V, AnySources>(job, 0);
  }
}

template <class V>
[[gnu::noinline]] void XorStreamedRun(const XorJob& job) {
  CoverLong<V, kXorStreamLines>(XorOpFor<StoreSink<1>>(job, AnySources()),
                                XorOpFor<StreamSink<1>>(job, AnySources()), job.bytes,
                                DistanceToAligned<V>(job.dst));
}

// How to run a job, by its number of sources.
struct XorRuns {
  void (*short_run)(const XorJob& job);
  void (*long_run)(const XorJob& job, size_t head);
};

template <class V, class Sources, class InnerSources = Sources>
constexpr XorRuns kXorRunsOf = {XorShortRun<V, Sources>, XorLongRun<V, Sources, InnerSources>};

template <class V>
constexpr XorRuns kXorRuns[] = {
    kXorRunsOf<V, AnySources>,
    kXorRunsOf<V, AnySources>,
    kXorRunsOf<V, FewSources<2>>,
    kXorRunsOf<V, FewSources<3>>,
    kXorRunsOf<V, FewSources<4>>,
    kXorRunsOf<V, FewSources<5>>,
    kXorRunsOf<V, FewSources<6>>,
    kXorRunsOf<V, FewSources<7>>,
    kXorRunsOf<V, FewSources<8>>,
    kXorRunsOf<V, AnySources, FewSources<9>>,
    kXorRunsOf<V, AnySources, FewSources<10>>,
    kXorRunsOf<V, AnySources, FewSources<11>>,
    kXorRunsOf<V, AnySources, FewSources<12>>,
};

template <class V>
void XorGenerate(const XorJob* jobs, size_t count, const Tuning& tuning) {
  constexpr size_t kRuns = sizeof(kXorRuns<V>) / sizeof(XorRuns);
  bool streamed = false;
  for (size_t i = 0; i < count; ++i) {
    const XorJob& job = jobs[i];
    assert(job.k >= 1);
    const XorRuns& runs = kXorRuns<V>[job.k < kRuns ? job.k : 0];
    if (job.bytes < NarrowestBytes<V>()) {
      if (job.bytes > 0) StoreSlot(job.dst, XorOfSlots(job.src, job.k, job.bytes), job.bytes);
    } else if (job.bytes < 2 * V::kBytes) {
      runs.short_run(job);
    } else if (job.bytes >= 3 * V::kBytes && (job.k + 1) * job.bytes >= tuning.xor_stream_from) {
      XorStreamedRun<V>(job);
      streamed = true;
    } else {
      runs.long_run(job, HeadToAlign<V>(&job.dst, 1, job.src, job.k, job.bytes,
                                        {tuning.xor_align_all_from, tuning.xor_align_any_from}));
    }
  }
  if (streamed) V::FenceStreams();
  V::ClearRegisters();
}

template <class V>
[[gnu::noinline]] void XorCompareRun(const XorCompareJob& job) {
  const XorOp<CompareSink<1>> op = {job.src, job.k, {&job.parity, job.first_difference}};
  if (job.bytes < 2 * V::kBytes) {
    CoverShort<V>(op, 0, job.bytes);
  } else {
    CoverLong<V, kXorLines>(op, op, job.bytes, 0);
  }
}

template <class V>
void XorCompare(const XorCompareJob* jobs, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const XorCompareJob& job = jobs[i];
    assert(job.k >= 1);
    job.first_difference[0] = job.bytes;
    if (job.bytes >= NarrowestBytes<V>()) {
      XorCompareRun<V>(job);
    } else if (job.bytes > 0) {
      const Slot sum = XorOfSlots(job.src, job.k, job.bytes);
      job.first_difference[0] = FirstDifference(sum, LoadSlot(job.parity, job.bytes), job.bytes);
    }
  }
  V::ClearRegisters();
}

}  // namespace
}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_XOR_KERNEL_H_
