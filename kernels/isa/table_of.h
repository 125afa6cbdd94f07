// The kernel table of an ISA file, from its vector types.
//
// For ISA files only (see cover.h).
#ifndef PARITY_KERNELS_ISA_TABLE_OF_H_
#define PARITY_KERNELS_ISA_TABLE_OF_H_

#include "gf_matrix_kernel.h"
#include "parity/kernels/kernel_table.h"
#include "pq_kernel.h"
#include "xor_kernel.h"

namespace parity::kernels {
namespace {

// V with as many lines of a matrix step as fit 16 registers, or 32.
template <class V>
struct With16Registers : V {
  template <int kRows>
  static constexpr int kGfLines = kRows == 1   ? 4
                                  : kRows == 2 ? 3
                                               : 2;
};
template <class V>
struct With32Registers : V {
  template <int kRows>
  static constexpr int kGfLines = 4;
};

// The types may differ where an ISA has wider registers for XOR than for the rest.
template <class GfVector, class PqVector = GfVector, class XorVector = PqVector>
constexpr KernelTable TableOf(const char* name, CpuFeatures required) {
  return {
      name,
      required,
      XorVector::kBytes,
      XorGenerate<XorVector>,
      PqGenerate<PqVector>,
      GfMatrix<GfVector>,
      GfMatrixAdd<GfVector>,
      XorCompare<XorVector>,
      PqCompare<PqVector>,
      GfCompare<GfVector>,
  };
}

}  // namespace
}  // namespace parity::kernels

#endif  // PARITY_KERNELS_ISA_TABLE_OF_H_
