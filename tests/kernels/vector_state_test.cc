// That a batch leaves no vector state behind: the registers that vzeroupper clears are 0 above
// their low 128 bits, those that it does not reach, and the mask registers, are 0.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "every_table.h"
#include "gtest/gtest.h"
#include "memory.h"
#include "sanitizers.h"

#if defined(__x86_64__)

namespace parity::kernels {
namespace {

constexpr size_t kStride = 8192;

struct Registers {
  alignas(64) uint8_t low[16][64];   // zmm0 to zmm15, or ymm0 to ymm15
  alignas(64) uint8_t high[16][64];  // zmm16 to zmm31
  uint64_t masks[8];
};

// These read and write registers behind the compiler's back, and so stand right around the call.
// REQUIRES: the instructions that the name says.
[[gnu::always_inline]] inline void ReadYmm(Registers& to) {
  asm volatile(
      ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n\t"
      "vmovdqu %%ymm\\n, 64*\\n(%0)\n\t"
      ".endr"
      :
      : "r"(to.low)
      : "memory");
}

[[gnu::always_inline]] inline void ReadZmm(Registers& to) {
  asm volatile(
      ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, "
      "23, 24, 25, 26, 27, 28, 29, 30, 31\n\t"
      "vmovdqu64 %%zmm\\n, 64*\\n(%0)\n\t"
      ".endr\n\t"
      ".irp n, 0, 1, 2, 3, 4, 5, 6, 7\n\t"
      "kmovq %%k\\n, 8*\\n(%1)\n\t"
      ".endr"
      :
      : "r"(to.low), "r"(to.masks)
      : "memory");
}

[[gnu::always_inline]] inline void ClearYmm() { asm volatile("vzeroupper" ::: "memory"); }

[[gnu::always_inline]] inline void ClearZmm() {
  asm volatile(
      ".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n\t"
      "vpxord %%xmm\\n, %%xmm\\n, %%xmm\\n\n\t"
      ".endr\n\t"
      ".irp n, 0, 1, 2, 3, 4, 5, 6, 7\n\t"
      "kxorq %%k\\n, %%k\\n, %%k\\n\n\t"
      ".endr\n\t"
      "vzeroupper" ::
          : "memory");
}

class VectorState : public TableTest {
 protected:
  void SetUp() override {
    if (kAddressSanitizer || kThreadSanitizer)
      GTEST_SKIP() << "sanitizers leave state of their own";
    const CpuFeatures features = FeaturesOf(ReadCpuRegisters());
    if ((features & kAvx) == 0) GTEST_SKIP() << "no AVX";
    avx512_ = (features & kAvx512) != 0;
  }

  // Runs the batch from a clear state and returns what it leaves.
  template <class Job>
  Registers After(void (*run)(const Job*, size_t), const Job& job) const {
    Registers registers = {};
    if (avx512_) {
      ClearZmm();
      run(&job, 1);
      ReadZmm(registers);
    } else {
      ClearYmm();
      run(&job, 1);
      ReadYmm(registers);
    }
    return registers;
  }

  static bool IsClear(const Registers& registers) {
    const auto is_zero = [](uint64_t value) { return value == 0; };
    for (int n = 0; n < 16; ++n) {
      if (!std::all_of(registers.low[n] + 16, registers.low[n] + 64, is_zero)) return false;
      if (!std::all_of(registers.high[n], registers.high[n] + 64, is_zero)) return false;
    }
    return std::all_of(registers.masks, registers.masks + 8, is_zero);
  }

  bool avx512_ = false;
};

TEST_P(VectorState, IsClearAfterAnXorBatch) {
  std::vector<uint8_t> block = Noise(16 * kStride, 1);
  for (const size_t k : {1, 4, 12}) {
    for (const size_t bytes : {1, 20, 40, 100, 1000, 5000}) {
      std::vector<const uint8_t*> sources;
      for (size_t j = 0; j < k; ++j) sources.push_back(block.data() + (j + 1) * kStride);
      const XorJob job = {block.data() + 1, sources.data(), k, bytes};
      EXPECT_TRUE(IsClear(After(table().xor_generate, job))) << k << " x " << bytes;
    }
  }
}

TEST_P(VectorState, IsClearAfterAMatrixBatch) {
  constexpr size_t kSources = 7;
  std::vector<uint8_t> block = Noise(16 * kStride, 1);
  const std::vector<uint8_t> coefficients = Noise(kSources * 6, 2);
  for (size_t m = 1; m <= 6; ++m) {
    for (const size_t bytes : {1, 20, 40, 100, 1000, 5000}) {
      for (const size_t first_output : {size_t{0}, kSources}) {
        std::vector<const uint8_t*> sources;
        for (size_t j = 0; j < kSources; ++j) sources.push_back(block.data() + j * kStride);
        std::vector<uint8_t*> dst;
        for (size_t r = 0; r < m; ++r) dst.push_back(block.data() + (first_output + r) * kStride);
        const GfMatrixJob job = {dst.data(), sources.data(), coefficients.data(), kSources,
                                 m,          bytes};
        EXPECT_TRUE(IsClear(After(table().gf_matrix, job))) << m << " x " << bytes;
      }
    }
  }
}

INSTANTIATE_FOR_EVERY_TABLE(VectorState);

}  // namespace
}  // namespace parity::kernels

#endif
