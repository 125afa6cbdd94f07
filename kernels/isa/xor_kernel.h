// XOR of any number of sources, for any vector type V of one ISA:
//   Reg, kBytes, Narrower (the type of half the width), Load, Store, Xor, ClearRegisters.
//
// For ISA files only (see cover.h).
#ifndef PARITY_KERNELS_ISA_XOR_KERNEL_H_
#define PARITY_KERNELS_ISA_XOR_KERNEL_H_

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "cover.h"
#include "parity/kernels/kernel_table.h"

namespace parity::kernels {
namespace {

// Lines of one source that are read before the next source: with few sources, and with more than L1
// has ways, where too few bytes at a time halve the rate (Zen 4).
template <class V>
constexpr int kXorLines = V::kBytes < 64 ? 8 : 4;
constexpr int kXorLinesOfMany = 8;
constexpr size_t kXorManySources = 8;

// Emerald Rapids: 1.4 times the rate if all is aligned, else 3 % more.
constexpr AlignFrom kXorAlignFrom = {512, 4096};

struct XorOp {
  XorJob job;

  template <class V, int kLines>
  [[gnu::always_inline]] void Lines(size_t at, size_t last) const {
    typename V::Reg sum[kLines];
#pragma GCC unroll 16
    for (int line = 0; line < kLines; ++line) {
      sum[line] = V::Load(job.src[0] + LineOffset<V, kLines>(line, at, last));
    }
    for (size_t j = 1; j < job.k; ++j) {
      const uint8_t* source = job.src[j];
#pragma GCC unroll 16
      for (int line = 0; line < kLines; ++line) {
        sum[line] = V::Xor(sum[line], V::Load(source + LineOffset<V, kLines>(line, at, last)));
      }
    }
#pragma GCC unroll 16
    for (int line = 0; line < kLines; ++line) {
      V::Store(job.dst + LineOffset<V, kLines>(line, at, last), sum[line]);
    }
  }
};

template <class V>
void XorGenerate(const XorJob* jobs, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const XorJob& job = jobs[i];
    assert(job.k >= 1);
    if (job.bytes == 0) continue;
    const size_t head = HeadToAlign<V>(&job.dst, 1, job.src, job.k, job.bytes, kXorAlignFrom);
    if (job.k < kXorManySources) {
      Cover<V, kXorLines<V>>(XorOp{job}, job.bytes, head);
    } else {
      Cover<V, kXorLinesOfMany>(XorOp{job}, job.bytes, head);
    }
  }
  V::ClearRegisters();
}

}  // namespace
}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_XOR_KERNEL_H_
