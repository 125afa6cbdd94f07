// Kernels for any CPU: words of up to 8 bytes, multiplied by table look-up, and XOR by 16 bytes in
// whatever the compiler has for them without further flags.
#include "gf_matrix_kernel.h"
#include "parity/kernels/gf256.h"
#include "tables.h"
#include "xor_kernel.h"

namespace parity::kernels {
namespace {

// kWidth bytes of memory in a register; the other bytes of the register are 0.
template <size_t kWidth>
struct Word {
  using Reg = uint64_t;
  using Operand = Reg;
  using Factor = const uint8_t*;
  using Narrower = Word<kWidth / 2>;
  static constexpr size_t kBytes = kWidth;
  static constexpr int kSources = 1;
  static constexpr int kGfRows = 4;
  template <int kRows>
  static constexpr int kGfLines = 2;

  static Reg Load(const uint8_t* p) {
    Reg x = 0;
    __builtin_memcpy(&x, p, kWidth);
    return x;
  }
  static void Store(uint8_t* p, Reg x) { __builtin_memcpy(p, &x, kWidth); }
  static Reg Zero() { return 0; }
  static Reg Xor(Reg a, Reg b) { return a ^ b; }
  static Operand Prepare(Reg x) { return x; }
  static Factor LoadFactor(uint8_t coefficient) { return kGfTables.product[coefficient]; }
  static Reg MultiplyAdd(Reg sum, Operand x, Factor product) {
#pragma GCC unroll 8
    for (int shift = 0; shift < 64; shift += 8) {
      sum ^= static_cast<Reg>(product[(x >> shift) & 0xff]) << shift;
    }
    return sum;
  }
  static void ClearRegisters() {}
};

struct Block {
  using Reg [[gnu::vector_size(16)]] = uint64_t;
  using Narrower = Word<8>;
  static constexpr size_t kBytes = 16;

  static Reg Load(const uint8_t* p) {
    Reg x;
    __builtin_memcpy(&x, p, kBytes);
    return x;
  }
  static void Store(uint8_t* p, Reg x) { __builtin_memcpy(p, &x, kBytes); }
  static Reg Xor(Reg a, Reg b) { return a ^ b; }
  static void ClearRegisters() {}
};

}  // namespace

const KernelTable kScalarTable = {
    "scalar", 0, false, XorGenerate<Block>, GfMatrix<Word<8>>,
};

}  // namespace parity::kernels
