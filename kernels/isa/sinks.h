// What becomes of the sums that a kernel computes: they are stored, stored past the caches, added
// to what is there, or compared with it.
//
// For ISA files only (see cover.h). Every sink has
//   kStarts                                        whether sums start from something
//   Reg Start<V>(row, offset)                      from what, if so
//   void Finish<V, kLines>(row, sums, at, last)    takes kLines sums, placed as in Op::Lines
#ifndef PARITY_KERNELS_ISA_SINKS_H_
#define PARITY_KERNELS_ISA_SINKS_H_

#include <cstddef>
#include <cstdint>

#include "cover.h"

namespace parity::kernels {
namespace {

// Pointers are held by value: as the compiler must assume that a store changes any byte, it would
// read those in an array again after each (a third of the rate of 4 KiB in L1).
template <int kRows>
struct StoreSink {
  static constexpr bool kStarts = false;
  uint8_t* dst[kRows];

  explicit StoreSink(uint8_t* const* outputs) {
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) dst[row] = outputs[row];
  }

  template <class V, int kLines>
  [[gnu::always_inline]] void Finish(int row, const typename V::Reg (&sums)[kLines], size_t at,
                                     size_t last) const {
#pragma GCC unroll 16
    for (int line = 0; line < kLines; ++line) {
      V::Store(dst[row] + LineOffset<V, kLines>(line, at, last), sums[line]);
    }
  }
};

// REQUIRES: the lines are aligned to the vector's width.
template <int kRows>
struct StreamSink : StoreSink<kRows> {
  using StoreSink<kRows>::StoreSink;

  template <class V, int kLines>
  [[gnu::always_inline]] void Finish(int row, const typename V::Reg (&sums)[kLines], size_t at,
                                     size_t last) const {
#pragma GCC unroll 16
    for (int line = 0; line < kLines; ++line) {
      V::Stream(this->dst[row] + LineOffset<V, kLines>(line, at, last), sums[line]);
    }
  }
};

template <int kRows>
struct AddSink : StoreSink<kRows> {
  using StoreSink<kRows>::StoreSink;
  static constexpr bool kStarts = true;

  template <class V>
  typename V::Reg Start(int row, size_t offset) const {
    return V::Load(this->dst[row] + offset);
  }
};

// first_difference[row] must start as a value above every offset.
template <int kRows>
struct CompareSink {
  static constexpr bool kStarts = false;
  const uint8_t* parity[kRows];
  size_t* first_difference;

  CompareSink(const uint8_t* const* parities, size_t* differences) : first_difference(differences) {
    for (int row = 0; row < kRows; ++row) parity[row] = parities[row];
  }

  template <class V, int kLines>
  [[gnu::always_inline]] void Finish(int row, const typename V::Reg (&sums)[kLines], size_t at,
                                     size_t last) const {
    typename V::Reg differences[kLines];
    typename V::Reg any = V::Zero();
#pragma GCC unroll 16
    for (int line = 0; line < kLines; ++line) {
      const size_t offset = LineOffset<V, kLines>(line, at, last);
      differences[line] = V::Xor(sums[line], V::Load(parity[row] + offset));
      any = V::Or(any, differences[line]);
    }
    if (__builtin_expect(V::IsZero(any), 1)) return;
    for (int line = 0; line < kLines; ++line) {
      Note<V>(first_difference + row, differences[line], LineOffset<V, kLines>(line, at, last));
    }
  }

 private:
  template <class V>
  [[gnu::noinline]] static void Note(size_t* first, typename V::Reg difference, size_t offset) {
    uint8_t bytes[V::kBytes];
    V::Store(bytes, difference);
    for (size_t i = 0; i < V::kBytes; ++i) {
      if (bytes[i] == 0) continue;
      if (offset + i < *first) *first = offset + i;
      return;
    }
  }
};

}  // namespace
}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_SINKS_H_
