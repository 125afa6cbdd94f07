// How vectors of a fixed width cover a run of any length.
//
// Key decision: no byte is handled alone and nothing is masked. The last vector of a run ends where
// the run ends, so it overlaps its neighbour, and a run shorter than a vector is covered by two
// overlapping vectors of a smaller width. An operation loads every line of one call before
// it stores any, which makes both the overlap and an output that equals an input right.
//
// For ISA files only: everything is in an anonymous namespace, so that each has its own copy.
#ifndef PARITY_KERNELS_ISA_COVER_H_
#define PARITY_KERNELS_ISA_COVER_H_

#include <cstddef>
#include <cstdint>

namespace parity::kernels {
namespace {

// Bytes of a cache line: a load that crosses one costs two.
constexpr size_t kCacheLine = 64;

template <class V>
size_t DistanceToAligned(const uint8_t* p) {
  return static_cast<size_t>(-reinterpret_cast<uintptr_t>(p)) % V::kBytes;
}

// Whether the last line of a short run is better covered by narrower vectors than by one that
// crosses into it: a second walk over the sources, but no load of it splits. Emerald Rapids, 100
// bytes: 1.3 times the rate of 24 aligned sources, but less with few sources or other alignments.
template <class V>
bool AvoidsSplits(const uint8_t* const* src, size_t k) {
  constexpr size_t kManySources = 16;
  return V::kBytes == kCacheLine && k >= kManySources && DistanceToAligned<V>(src[0]) == 0;
}

// The width of the narrowest vector that goes with V. Shorter runs are the business of small_run.h.
template <class V>
constexpr size_t NarrowestBytes() {
  if constexpr (V::Narrower::kBytes == V::kBytes) {
    return V::kBytes;
  } else {
    return NarrowestBytes<typename V::Narrower>();
  }
}

// Runs `op` over [at, end), for NarrowestBytes<V>() <= end - at < 2 * V::kBytes.
template <class V, class Op>
[[gnu::always_inline]] inline void CoverShort(const Op& op, size_t at, size_t end) {
  const size_t bytes = end - at;
  if (bytes == V::kBytes) return op.template Lines<V, 1>(at, at);
  if (bytes > V::kBytes) {
    if constexpr (V::kBytes != kCacheLine || !Op::kMayHaveMany) {
      return op.template Lines<V, 2>(at, end - V::kBytes);
    } else {
      if (bytes - V::kBytes < NarrowestBytes<V>() || !AvoidsSplits<V>(op.src, op.k)) {
        return op.template Lines<V, 2>(at, end - V::kBytes);
      }
      op.template Lines<V, 1>(at, at);
      at += V::kBytes;
    }
  }
  if constexpr (V::kBytes > NarrowestBytes<V>()) CoverShort<typename V::Narrower>(op, at, end);
}

// Runs `op` over [at, end), for V::kBytes <= end - at <= kLines * V::kBytes.
template <class V, int kLines, class Op>
[[gnu::always_inline]] inline void CoverEnd(const Op& op, size_t at, size_t end) {
  if constexpr (kLines > 1) {
    if (end - at <= (kLines - 1) * V::kBytes) return CoverEnd<V, kLines - 1>(op, at, end);
  }
  op.template Lines<V, kLines>(at, end - V::kBytes);
}

// Runs `op` over [0, bytes), for bytes >= 2 * V::kBytes. Op has
//   template <class V, int kLines> void Lines(size_t at, size_t last) const;
// which computes kLines vectors: those at at, at + V::kBytes, ... and, for the last one, at `last`.
//
// If `head` is not 0, the vectors are placed so that those beyond the first start at
// head + n * V::kBytes. `inner` computes what is placed so, `op` the ends of the run.
// REQUIRES: head == 0, or head < V::kBytes and bytes >= 3 * V::kBytes.
template <class V, int kLines, class Op, class InnerOp>
[[gnu::always_inline]] inline void CoverLong(const Op& op, const InnerOp& inner, size_t bytes,
                                             size_t head) {
  static_assert(kLines >= 2,
                "a single line cannot end where the run ends without rewriting the last");
  constexpr size_t kStep = kLines * V::kBytes;
  size_t at = 0;
  if (head != 0) {
    op.template Lines<V, 2>(0, head);
    at = head + V::kBytes;
  }
  // What remains for the end is never shorter than a vector.
  for (; bytes - at >= kStep + V::kBytes; at += kStep) {
    inner.template Lines<V, kLines>(at, at + kStep - V::kBytes);
  }
  if (bytes - at > kStep) {
    op.template Lines<V, 1>(at, at);
    at += V::kBytes;
  }
  CoverEnd<V, kLines>(op, at, bytes);
}

// Where line `line` of an Op::Lines call starts.
template <class V, int kLines>
[[gnu::always_inline]] inline size_t LineOffset(int line, size_t at, size_t last) {
  return line == kLines - 1 ? last : at + line * V::kBytes;
}

// From which length on it pays to align stores: if that aligns every load too, and in any case.
struct AlignFrom {
  size_t all_bytes;
  size_t any_bytes;
};

template <class V, class Pointer>
bool AllAtDistance(const Pointer* pointers, size_t count, size_t distance) {
  for (size_t i = 0; i < count; ++i) {
    if (DistanceToAligned<V>(pointers[i]) != distance) return false;
  }
  return true;
}

// The `head` for Cover that aligns the first of m outputs, or 0 if that does not pay.
template <class V, class Output>
size_t HeadToAlign(Output* const* dst, size_t m, const uint8_t* const* src, size_t k, size_t bytes,
                   AlignFrom from) {
  const size_t head = DistanceToAligned<V>(dst[0]);
  if (head == 0 || bytes < from.all_bytes || bytes < 3 * V::kBytes) return 0;
  if (bytes >= from.any_bytes) return head;
  const bool aligns_all = AllAtDistance<V>(dst, m, head) && AllAtDistance<V>(src, k, head);
  return aligns_all ? head : 0;
}

}  // namespace
}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_COVER_H_
