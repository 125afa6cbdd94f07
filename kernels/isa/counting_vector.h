// A vector type that counts how it accesses memory, to run the kernel templates with: how many
// accesses a way of covering a run takes, and how many of them are split between two cache lines,
// are facts that need no clock.
//
//   XorGenerate<CountingVector<64, CountAccesses>>(&job, 1, tuning);
//   CountAccesses::counts.crossing_loads ...
//
// It computes byte by byte on any CPU, so its speed says nothing.
#ifndef PARITY_KERNELS_ISA_COUNTING_VECTOR_H_
#define PARITY_KERNELS_ISA_COUNTING_VECTOR_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "parity/kernels/gf256.h"

namespace parity::kernels {

struct AccessCounts {
  size_t loads = 0;
  size_t stores = 0;  // streaming ones included
  size_t streams = 0;
  // Of these, how many touch two cache lines.
  size_t crossing_loads = 0;
  size_t crossing_stores = 0;

  size_t fences = 0;
  size_t clears = 0;  // of the vector registers

  size_t accesses() const { return loads + stores; }
  size_t crossing() const { return crossing_loads + crossing_stores; }
};

constexpr size_t kCacheLineBytes = 64;

inline bool CrossesCacheLine(const uint8_t* p, size_t bytes) {
  return reinterpret_cast<uintptr_t>(p) % kCacheLineBytes + bytes > kCacheLineBytes;
}

// Counts what this thread accesses.
struct CountAccesses {
  static inline thread_local AccessCounts counts;

  [[gnu::noinline]] static void Load(const uint8_t* p, size_t bytes) {
    ++counts.loads;
    counts.crossing_loads += CrossesCacheLine(p, bytes);
  }
  [[gnu::noinline]] static void Store(const uint8_t* p, size_t bytes) {
    ++counts.stores;
    counts.crossing_stores += CrossesCacheLine(p, bytes);
  }
  [[gnu::noinline]] static void Stream(const uint8_t* p, size_t bytes) {
    Store(p, bytes);
    ++counts.streams;
  }
  static void Fence() { ++counts.fences; }
  static void Clear() { ++counts.clears; }
};

// kWidth bytes; the narrowest is 16, or kWidth if that is less. Log has the functions of
// CountAccesses. kAtATime is how many sources a step of a matrix takes: 1 or 2.
template <size_t kWidth, class Log, int kAtATime = 2>
struct CountingVector {
  // Out of line, as the templates unroll loops over what for them is one instruction.
  struct Reg {
    uint8_t bytes[kWidth];
  };
  using Operand = Reg;
  using Factor = const uint8_t*;
  using Narrower = CountingVector<(kWidth > 16 ? kWidth / 2 : kWidth), Log, kAtATime>;
  static constexpr size_t kBytes = kWidth;
  static constexpr int kSources = kAtATime;
  template <int kRows>
  static constexpr int kGfLines = 4;

  [[gnu::noinline]] static Reg Load(const uint8_t* p) {
    Log::Load(p, kWidth);
    Reg x;
    std::memcpy(x.bytes, p, kWidth);
    return x;
  }
  [[gnu::noinline]] static void Store(uint8_t* p, const Reg& x) {
    Log::Store(p, kWidth);
    std::memcpy(p, x.bytes, kWidth);
  }
  [[gnu::noinline]] static void Stream(uint8_t* p, const Reg& x) {
    Log::Stream(p, kWidth);
    std::memcpy(p, x.bytes, kWidth);
  }
  static void FenceStreams() { Log::Fence(); }
  static void ClearRegisters() { Log::Clear(); }

  static Reg Pin(const Reg& x) { return x; }
  static Reg Zero() { return Reg{}; }
  [[gnu::noinline]] static bool IsZero(const Reg& x) {
    uint8_t any = 0;
    for (const uint8_t byte : x.bytes) any |= byte;
    return any == 0;
  }
  [[gnu::noinline]] static Reg Or(Reg a, const Reg& b) {
    for (size_t i = 0; i < kWidth; ++i) a.bytes[i] |= b.bytes[i];
    return a;
  }
  [[gnu::noinline]] static Reg Xor(Reg a, const Reg& b) {
    for (size_t i = 0; i < kWidth; ++i) a.bytes[i] ^= b.bytes[i];
    return a;
  }
  [[gnu::noinline]] static Reg Xor3(const Reg& a, const Reg& b, const Reg& c) {
    return Xor(Xor(a, b), c);
  }
  [[gnu::noinline]] static Reg DoubleAdd(Reg x, const Reg& y) {
    for (size_t i = 0; i < kWidth; ++i) {
      const int reduction = (x.bytes[i] & 0x80) != 0 ? kGfPolynomial & 0xff : 0;
      x.bytes[i] = static_cast<uint8_t>((x.bytes[i] << 1) ^ reduction ^ y.bytes[i]);
    }
    return x;
  }
  static Reg DoubleTwiceAdd(const Reg& x, const Reg& u, const Reg& v) {
    return DoubleAdd(DoubleAdd(x, u), v);
  }
  static Operand Prepare(const Reg& x) { return x; }
  static Factor LoadFactor(const GfFactor& factor) { return kGfTables.product[factor.coefficient]; }
  [[gnu::noinline]] static Reg MultiplyAdd(Reg sum, const Operand& x, Factor product) {
    for (size_t i = 0; i < kWidth; ++i) sum.bytes[i] ^= product[x.bytes[i]];
    return sum;
  }
  [[gnu::noinline]] static Reg MultiplyAdd(const Reg& sum, const Operand& x, Factor first,
                                           const Operand& y, Factor second) {
    return MultiplyAdd(MultiplyAdd(sum, x, first), y, second);
  }
};

}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_COUNTING_VECTOR_H_
