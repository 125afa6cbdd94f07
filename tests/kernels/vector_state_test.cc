// What a batch leaves of the CPU's state: no vector state, and the registers that belong to its
// caller.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "every_table.h"
#include "gtest/gtest.h"
#include "memory.h"
#include "operation.h"
#include "sanitizers.h"
#include "tunings.h"

#if defined(__x86_64__)

#include <cpuid.h>

// What a function must leave to its caller as it was (System V ABI for AMD64, section 3.2.1).
struct CalleeSaved {
  uint64_t rbx, rbp, r12, r13, r14, r15;
  uint64_t mxcsr;
};

// Calls kernel(jobs, count, tuning) with `registers` loaded, and sets them to what it leaves.
// Touches no vector register.
extern "C" void ParityCallKernel(const void* kernel, const void* jobs, size_t count,
                                 const void* tuning, CalleeSaved* registers);
asm(R"(
  .pushsection .text
  .type ParityCallKernel, @function
ParityCallKernel:
  push %rbx
  push %rbp
  push %r12
  push %r13
  push %r14
  push %r15
  push %r8
  sub $16, %rsp
  stmxcsr (%rsp)
  mov %rdi, %rax
  mov %rsi, %rdi
  mov %rdx, %rsi
  mov %rcx, %rdx
  mov 0(%r8), %rbx
  mov 8(%r8), %rbp
  mov 16(%r8), %r12
  mov 24(%r8), %r13
  mov 32(%r8), %r14
  mov 40(%r8), %r15
  ldmxcsr 48(%r8)
  call *%rax
  mov 16(%rsp), %r8
  stmxcsr 48(%r8)
  mov %rbx, 0(%r8)
  mov %rbp, 8(%r8)
  mov %r12, 16(%r8)
  mov %r13, 24(%r8)
  mov %r14, 32(%r8)
  mov %r15, 40(%r8)
  ldmxcsr (%rsp)
  add $16, %rsp
  pop %r8
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbp
  pop %rbx
  ret
  .size ParityCallKernel, . - ParityCallKernel
  .popsection
)");

namespace parity::kernels {
namespace {

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

// The parts of the vector state that a CPU saves apart, as bits of XGETBV(1).
constexpr uint64_t kUpperYmm = 1u << 2;
constexpr uint64_t kMasks = 1u << 5;
constexpr uint64_t kUpperZmm = 1u << 6;
constexpr uint64_t kHighZmm = 1u << 7;
constexpr uint64_t kVectorState = kUpperYmm | kMasks | kUpperZmm | kHighZmm;

bool ReportsStateInUse() {
  unsigned eax, ebx, ecx, edx;
  return __get_cpuid_count(0xd, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & 1u << 2) != 0;
}

// Which parts of the vector state are not in their initial state. REQUIRES: ReportsStateInUse().
[[gnu::always_inline]] inline uint64_t StateInUse() {
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1) : "memory");
  return low & kVectorState;
}

// What a batch left.
struct Left {
  Registers registers = {};
  uint64_t in_use = 0;  // StateInUse(), where the CPU reports it
};

bool IsClear(const Registers& registers) {
  const auto is_zero = [](uint64_t value) { return value == 0; };
  for (int n = 0; n < 16; ++n) {
    if (!std::all_of(registers.low[n] + 16, registers.low[n] + 64, is_zero)) return false;
    if (!std::all_of(registers.high[n], registers.high[n] + 64, is_zero)) return false;
  }
  return std::all_of(registers.masks, registers.masks + 8, is_zero);
}

// Different in every byte; all exceptions stay masked, but the mode of rounding is another, and an
// arithmetic operation that is not exact would leave its flag.
constexpr CalleeSaved kCanaries = {0x1122334455667788,
                                   0x99aabbccddeeff00,
                                   0x0123456789abcdef,
                                   0xfedcba9876543210,
                                   0x5a6978c3d2e1f00f,
                                   0xa5b4c3d2e1f01234,
                                   0xffc0};

class CpuState : public TableTest {
 protected:
  // Calls body(job, tuning) for jobs that take every way of the kernels: few and many sources and
  // outputs, short and long, aligned or not, streamed, over their own sources, and with parity that
  // does or does not differ.
  template <class Body>
  static void ForEachJob(Code code, const Body& body) {
    constexpr size_t kMostBytes = 5000;
    constexpr size_t kStride = 5120;
    for (const size_t k : {1, 4, 7, 12}) {
      for (size_t m = 1; m <= (code == Code::kMatrix ? 6 : 1); ++m) {
        Job job;
        job.parity.resize(OutputsOf(code, m));
        job.factors = FactorsOf(code, k, job.m());
        Bytes block = Noise((k + job.m() + 1) * kStride, static_cast<uint32_t>(k));
        for (const size_t residue : {0, 1}) {
          const std::vector<uint8_t*> runs =
              RunsIn(block.data() + ToCacheLine(block.data()) + residue, k + job.m(), kStride, 0);
          job.sources.assign(runs.begin(), runs.begin() + static_cast<ptrdiff_t>(k));
          for (const bool in_place : {false, true}) {
            if (in_place && k < job.m()) continue;
            std::copy_n(runs.begin() + static_cast<ptrdiff_t>(in_place ? 0 : k), job.m(),
                        job.parity.begin());
            for (const bool consistent : {true, false}) {
              job.bytes = kMostBytes;
              if (consistent && !in_place) {
                const std::vector<Bytes> sums = SumsOf(job);
                for (size_t r = 0; r < job.m(); ++r) {
                  std::copy(sums[r].begin(), sums[r].end(), job.parity[r]);
                }
              }
              for (uint8_t* parity : job.parity) parity[0] ^= consistent ? 0 : 1;
              for (const size_t bytes : {1, 3, 5, 12, 20, 40, 100, 300, 1000, 5000}) {
                job.bytes = bytes;
                for (const Tuning* tuning : {&kPlain, &kAlignAny, &kStream}) body(job, *tuning);
              }
            }
          }
        }
      }
    }
  }
};

class VectorState : public CpuState {
 protected:
  void SetUp() override {
    if (kAddressSanitizer || kThreadSanitizer)
      GTEST_SKIP() << "sanitizers leave state of their own";
    const CpuFeatures features = FeaturesOf(ReadCpuRegisters());
    if ((features & kAvx) == 0) GTEST_SKIP() << "no AVX";
    avx512_ = (features & kAvx512) != 0;
    reports_ = ReportsStateInUse();
  }

  // Runs the batch of one job from a clear state.
  template <class Kernel, class TableJob>
  Left After(Kernel kernel, const TableJob& job, const Tuning& tuning) const {
    Left left;
    CalleeSaved registers = kCanaries;
    if (avx512_) {
      ClearZmm();
      ParityCallKernel(reinterpret_cast<const void*>(kernel), &job, 1, &tuning, &registers);
      if (reports_) left.in_use = StateInUse();
      ReadZmm(left.registers);
    } else {
      ClearYmm();
      ParityCallKernel(reinterpret_cast<const void*>(kernel), &job, 1, &tuning, &registers);
      if (reports_) left.in_use = StateInUse();
      ReadYmm(left.registers);
    }
    return left;
  }

  // What stays in use after clearing it: some CPUs report the mask registers and zmm16 to zmm31 so
  // for ever.
  uint64_t InUseWhenClear() const {
    if (!reports_) return 0;
    if (avx512_) {
      ClearZmm();
    } else {
      ClearYmm();
    }
    return StateInUse();
  }

  // make(job) is the job for `kernel`.
  template <class Kernel, class Make>
  void ExpectClearAfter(Code code, Kernel kernel, const Make& make) const {
    ForEachJob(code, [&](const Job& job, const Tuning& tuning) {
      const uint64_t clear = InUseWhenClear();
      const Left left = After(kernel, make(job), tuning);
      ASSERT_TRUE(IsClear(left.registers))
          << job.k() << "+" << job.m() << " x " << job.bytes << ", " << tuning.measured_on;
      ASSERT_EQ(left.in_use & ~clear, 0u)
          << job.k() << "+" << job.m() << " x " << job.bytes << ", " << tuning.measured_on;
    });
  }

  bool avx512_ = false;
  bool reports_ = false;
};

// A kernel's part in these tests is only to compare parity with what it should be, so what it finds
// may be anything.
size_t found[kMaxGfShards];

// The sources in reverse as what they were before.
std::vector<const uint8_t*> old_sources;
GfMatrixJob MakeDeltaJob(const Job& job) {
  old_sources.assign(job.sources.rbegin(), job.sources.rend());
  GfMatrixJob table_job = MakeGfMatrixJob(job);
  table_job.old = old_sources.data();
  return table_job;
}

TEST_P(VectorState, IsClearAfterXorGenerate) {
  ExpectClearAfter(Code::kXor, table().xor_generate, MakeXorJob);
}

TEST_P(VectorState, IsClearAfterPqGenerate) {
  ExpectClearAfter(Code::kPq, table().pq_generate, MakePqJob);
}

TEST_P(VectorState, IsClearAfterGfMatrix) {
  ExpectClearAfter(Code::kMatrix, table().gf_matrix, MakeGfMatrixJob);
}

TEST_P(VectorState, IsClearAfterGfMatrixAdd) {
  ExpectClearAfter(Code::kMatrix, table().gf_matrix_add, MakeGfMatrixJob);
}

TEST_P(VectorState, IsClearAfterGfMatrixAddOfADelta) {
  ExpectClearAfter(Code::kMatrix, table().gf_matrix_add, MakeDeltaJob);
}

TEST_P(VectorState, IsClearAfterXorCompare) {
  ExpectClearAfter(Code::kXor, table().xor_compare,
                   [](const Job& job) { return MakeXorCompareJob(job, found); });
}

TEST_P(VectorState, IsClearAfterPqCompare) {
  ExpectClearAfter(Code::kPq, table().pq_compare,
                   [](const Job& job) { return MakePqCompareJob(job, found); });
}

TEST_P(VectorState, IsClearAfterGfCompare) {
  ExpectClearAfter(Code::kMatrix, table().gf_compare,
                   [](const Job& job) { return MakeGfCompareJob(job, found); });
}

INSTANTIATE_FOR_EVERY_TABLE(VectorState);

class CallersRegisters : public CpuState {
 protected:
  template <class Kernel, class Make>
  static void ExpectSurvival(Code code, Kernel kernel, const Make& make) {
    ForEachJob(code, [&](const Job& job, const Tuning& tuning) {
      const auto table_job = make(job);
      CalleeSaved registers = kCanaries;
      ParityCallKernel(reinterpret_cast<const void*>(kernel), &table_job, 1, &tuning, &registers);
      ASSERT_TRUE(registers.rbx == kCanaries.rbx && registers.rbp == kCanaries.rbp &&
                  registers.r12 == kCanaries.r12 && registers.r13 == kCanaries.r13 &&
                  registers.r14 == kCanaries.r14 && registers.r15 == kCanaries.r15)
          << job.k() << "+" << job.m() << " x " << job.bytes;
      ASSERT_EQ(registers.mxcsr, kCanaries.mxcsr)
          << job.k() << "+" << job.m() << " x " << job.bytes;
    });
  }
};

TEST_P(CallersRegisters, SurviveEveryOperation) {
  ExpectSurvival(Code::kXor, table().xor_generate, MakeXorJob);
  ExpectSurvival(Code::kPq, table().pq_generate, MakePqJob);
  ExpectSurvival(Code::kMatrix, table().gf_matrix, MakeGfMatrixJob);
  ExpectSurvival(Code::kMatrix, table().gf_matrix_add, MakeGfMatrixJob);
  ExpectSurvival(Code::kMatrix, table().gf_matrix_add, MakeDeltaJob);
}

TEST_P(CallersRegisters, SurviveEveryComparison) {
  ExpectSurvival(Code::kXor, table().xor_compare,
                 [](const Job& job) { return MakeXorCompareJob(job, found); });
  ExpectSurvival(Code::kPq, table().pq_compare,
                 [](const Job& job) { return MakePqCompareJob(job, found); });
  ExpectSurvival(Code::kMatrix, table().gf_compare,
                 [](const Job& job) { return MakeGfCompareJob(job, found); });
}

INSTANTIATE_FOR_EVERY_TABLE(CallersRegisters);

// That the tests above would see what they look for.
TEST(VectorStateProbe, SeesEachPartOfTheState) {
  const CpuFeatures features = FeaturesOf(ReadCpuRegisters());
  if ((features & kAvx) == 0) GTEST_SKIP() << "no AVX";
  Registers registers = {};
  ClearYmm();
  asm volatile("vcmpps $15, %%ymm5, %%ymm5, %%ymm5" ::: "memory");
  const uint64_t ymm_in_use = ReportsStateInUse() ? StateInUse() : kUpperYmm;
  ReadYmm(registers);
  ClearYmm();
  EXPECT_FALSE(IsClear(registers));
  EXPECT_NE(ymm_in_use & kUpperYmm, 0u);
  if ((features & kAvx512) == 0) return;

  registers = {};
  ClearZmm();
  asm volatile("vpternlogd $255, %%zmm20, %%zmm20, %%zmm20" ::: "memory");
  ReadZmm(registers);
  const uint64_t zmm_in_use = ReportsStateInUse() ? StateInUse() : kHighZmm;
  ClearZmm();
  EXPECT_FALSE(IsClear(registers));
  EXPECT_NE(zmm_in_use & kHighZmm, 0u);

  registers = {};
  asm volatile("kxnorq %%k3, %%k3, %%k3" ::: "memory");
  ReadZmm(registers);
  const uint64_t masks_in_use = ReportsStateInUse() ? StateInUse() : kMasks;
  ClearZmm();
  EXPECT_FALSE(IsClear(registers));
  EXPECT_NE(masks_in_use & kMasks, 0u);
}

}  // namespace
}  // namespace parity::kernels

#endif
