// The kernels of one instruction set, as data.
//
// Key decision: every entry takes an array of jobs, so the loop over a batch sits inside the ISA's
// own translation unit. Vector state is cleaned once, when the batch ends, and no code of another
// ISA runs between two jobs of a batch.
//
// For all jobs: `bytes` is anything from 0 to 2^40 and every pointer may have any alignment. No
// byte outside [p, p + bytes) is read or written. An output may equal any source exactly. The
// caller owns all memory, the arrays of pointers included.
#ifndef PARITY_KERNELS_KERNEL_TABLE_H_
#define PARITY_KERNELS_KERNEL_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "parity/kernels/cpu_features.h"
#include "parity/kernels/gf256.h"
#include "parity/kernels/tuning.h"

namespace parity::kernels {

// dst[0..bytes) = src[0] ^ src[1] ^ ... ^ src[k-1], byte by byte. To add sources to a parity that
// exists, let the parity be one of the sources.
//
// REQUIRES: k >= 1; dst does not partially overlap a source.
struct XorJob {
  uint8_t* dst;
  const uint8_t* const* src;  // k pointers
  size_t k;
  size_t bytes;
};

// The most sources, and the most outputs, of a P+Q or matrix job.
inline constexpr size_t kMaxGfShards = 255;

// RAID-6 as in Linux md: p = sum of src[j], q = sum of 2^j * src[j], over GF(2^8) with polynomial
// 0x11d (H. P. Anvin: "The mathematics of RAID-6").
//
// REQUIRES: k is 1 to kMaxGfShards; p and q do not overlap; neither partially overlaps a source.
struct PqJob {
  uint8_t* p;
  uint8_t* q;
  const uint8_t* const* src;  // k pointers
  size_t k;
  size_t bytes;
};

// dst[r] = sum over j of factors[j * m + r] * src[j], over the same field.
//
// As a job of gf_matrix_add: dst[r] += that sum; and if `old` is set, the sum is of src[j] -
// old[j], so that parity computed from old[j] becomes that of src[j]. gf_matrix ignores `old`.
//
// The factors are source-major: the m factors of one source are adjacent, in the order in which a
// kernel that walks the sources needs them.
//
// REQUIRES: k and m are 1 to kMaxGfShards; no two dst overlap; no dst partially overlaps a source,
// old or new.
struct GfMatrixJob {
  uint8_t* const* dst;        // m pointers
  const uint8_t* const* src;  // k pointers
  const GfFactor* factors;    // k * m
  size_t k;
  size_t m;
  size_t bytes;
  const uint8_t* const* old = nullptr;  // k pointers, or null
};

// The same sums compared with parity that is stored, without writing them anywhere.
//
// first_difference[r] becomes the lowest offset at which parity r is not what the sources give, or
// `bytes` if there is none.
struct XorCompareJob {
  const uint8_t* parity;
  const uint8_t* const* src;
  size_t k;
  size_t bytes;
  size_t* first_difference;  // 1 element
};
struct PqCompareJob {
  const uint8_t* p;
  const uint8_t* q;
  const uint8_t* const* src;
  size_t k;
  size_t bytes;
  size_t* first_difference;  // 2 elements: p, q
};
struct GfCompareJob {
  const uint8_t* const* parity;  // m pointers
  const uint8_t* const* src;     // k pointers
  const GfFactor* factors;       // k * m, source-major
  size_t k;
  size_t m;
  size_t bytes;
  size_t* first_difference;  // m elements
};

inline constexpr size_t kWideVectorBytes = 64;

// Immutable and of static storage duration. The functions are thread-safe: they touch nothing but
// the memory that the jobs name. Jobs of a batch run in order. The tuning changes speed alone,
// never a byte.
struct KernelTable {
  const char* name;      // also the value of --kernels and of every metric: "avx512"
  CpuFeatures required;  // what a CPU must have for the table to run
  size_t vector_bytes;   // of its widest registers; kWideVectorBytes lower the clock of some CPUs
  void (*xor_generate)(const XorJob* jobs, size_t count, const Tuning& tuning);
  void (*pq_generate)(const PqJob* jobs, size_t count, const Tuning& tuning);
  void (*gf_matrix)(const GfMatrixJob* jobs, size_t count, const Tuning& tuning);
  void (*gf_matrix_add)(const GfMatrixJob* jobs, size_t count, const Tuning& tuning);
  void (*xor_compare)(const XorCompareJob* jobs, size_t count);
  void (*pq_compare)(const PqCompareJob* jobs, size_t count);
  void (*gf_compare)(const GfCompareJob* jobs, size_t count);
};

}  // namespace parity::kernels

#endif  // PARITY_KERNELS_KERNEL_TABLE_H_
