// The kernels of one instruction set, as data.
//
// Key decision: every entry takes an array of jobs, so the loop over a batch sits inside the ISA's
// own translation unit. Vector state is cleaned once, when the batch ends, and no code of another
// ISA runs between two jobs of a batch.
#ifndef PARITY_KERNELS_KERNEL_TABLE_H_
#define PARITY_KERNELS_KERNEL_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "parity/kernels/cpu_features.h"

namespace parity::kernels {

// dst[0..bytes) = src[0] ^ src[1] ^ ... ^ src[k-1], byte by byte.
//
// `bytes` is anything from 0 to 2^40, every pointer may have any alignment, and dst may equal a
// source exactly. No byte outside [p, p + bytes) is read or written.
//
// REQUIRES: k >= 1; dst does not partially overlap a source.
struct XorJob {
  uint8_t* dst;
  const uint8_t* const* src;  // k pointers, owned by the caller
  size_t k;
  size_t bytes;
};

// The most sources, and the most outputs, of a matrix job.
inline constexpr size_t kMaxGfShards = 255;

// dst[r] = sum over j of coefficients[j * m + r] * src[j], over GF(2^8) with polynomial 0x11d.
//
// The coefficients are source-major: the m factors of one source are adjacent, in the order in
// which a kernel that walks the sources needs them. Lengths, alignment and aliasing are as in
// XorJob: any dst may equal any source exactly.
//
// REQUIRES: k and m are 1 to kMaxGfShards; no two dst overlap; no dst partially overlaps a source.
struct GfMatrixJob {
  uint8_t* const* dst;          // m pointers, owned by the caller
  const uint8_t* const* src;    // k pointers, owned by the caller
  const uint8_t* coefficients;  // k * m bytes, owned by the caller
  size_t k;
  size_t m;
  size_t bytes;
};

// Immutable and of static storage duration. The functions are thread-safe: they touch nothing but
// the memory that the jobs name. Jobs of a batch run in order.
struct KernelTable {
  const char* name;      // also the value of --kernels and of every metric: "avx512"
  CpuFeatures required;  // what a CPU must have for the table to run
  bool wide;             // uses 512-bit registers: not chosen where they lower the clock
  void (*xor_generate)(const XorJob* jobs, size_t count);
  void (*gf_matrix)(const GfMatrixJob* jobs, size_t count);
};

}  // namespace parity::kernels

#endif  // PARITY_KERNELS_KERNEL_TABLE_H_
