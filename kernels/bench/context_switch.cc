#include "context_switch.h"

#if defined(__x86_64__)

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "parity/kernels/cpu_features.h"
#include "parity/timing/timing.h"

namespace parity::bench {
namespace {

using timing::Call;
using timing::MedianNanoseconds;
using timing::Repeated;

constexpr int kSwitches = 4000;  // of each thread in a sample

void ClearYmm() { asm volatile("vzeroupper" ::: "memory"); }

void ClearZmm() {
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

void DirtyYmm() { asm volatile("vpcmpeqd %%ymm0, %%ymm0, %%ymm0" ::: "xmm0"); }
void DirtyZmm() { asm volatile("vpternlogd $255, %%zmm0, %%zmm0, %%zmm0" ::: "xmm0"); }
void DirtyHighZmm() {
  asm volatile("vpternlogd $255, %%zmm17, %%zmm17, %%zmm17\n\tvzeroupper" ::: "memory");
}

struct State {
  const char* name;
  void (*enter)();
};

struct Processor {
  void (*clear)() = nullptr;
  const char* clear_name = nullptr;
  std::vector<State> states;
};

Processor ThisProcessor() {
  const kernels::CpuFeatures features = kernels::FeaturesOf(kernels::ReadCpuRegisters());
  if ((features & kernels::kAvx512) != 0) {
    return {ClearZmm,
            "zeroing zmm16 to zmm31 and k0 to k7, and vzeroupper",
            {{"clear", ClearZmm},
             {"ymm0 dirty", DirtyYmm},
             {"zmm0 dirty", DirtyZmm},
             {"zmm17 dirty", DirtyHighZmm}}};
  }
  if ((features & kernels::kAvx2) != 0) {
    return {ClearYmm, "vzeroupper", {{"clear", ClearYmm}, {"ymm0 dirty", DirtyYmm}}};
  }
  return {};
}

// One thread's part: from a clear state, enters the state under test, hands the CPU over and waits
// for its return.
void TakeTurns(const Processor& processor, const State& state,
               const std::function<void()>& hand_over) {
  for (int i = 0; i < kSwitches; ++i) {
    processor.clear();
    state.enter();
    hand_over();
    processor.clear();
  }
}

void Wake(int fd) {
  const char byte = 0;
  while (write(fd, &byte, 1) != 1) {
  }
}
void Await(int fd) {
  char byte;
  while (read(fd, &byte, 1) != 1) {
  }
}

void SwitchByPipes(const Processor& processor, const State& state) {
  int there[2];
  int back[2];
  if (pipe(there) != 0 || pipe(back) != 0) return;
  std::thread other([&] {
    TakeTurns(processor, state, [&] {
      Await(there[0]);
      Wake(back[1]);
    });
  });
  TakeTurns(processor, state, [&] {
    Wake(there[1]);
    Await(back[0]);
  });
  other.join();
  for (const int fd : {there[0], there[1], back[0], back[1]}) close(fd);
}

void SwitchByFutex(const Processor& processor, const State& state) {
  static_assert(sizeof(std::atomic<int>) == sizeof(int));
  std::atomic<int> turn{0};
  const auto futex = [&](int operation, int value) {
    syscall(SYS_futex, &turn, operation, value, nullptr, nullptr, 0);
  };
  const auto hand_over = [&](int own, int next) {
    while (turn.load() != own) futex(FUTEX_WAIT_PRIVATE, next);
    turn.store(next);
    futex(FUTEX_WAKE_PRIVATE, 1);
  };
  std::thread other([&] { TakeTurns(processor, state, [&] { hand_over(1, 0); }); });
  TakeTurns(processor, state, [&] { hand_over(0, 1); });
  other.join();
}

// Pins this thread, and so those that it starts, to the CPU that it runs on.
bool Pin(cpu_set_t& before) {
  if (sched_getaffinity(0, sizeof(before), &before) != 0) return false;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  return sched_setaffinity(0, sizeof(one), &one) == 0;
}

}  // namespace

absl::Status PrintContextSwitches(std::FILE* to, int rounds) {
  const Processor processor = ThisProcessor();
  if (processor.states.empty()) return absl::OkStatus();
  cpu_set_t before;
  if (!Pin(before)) return absl::UnavailableError("--batch: cannot pin the threads to a CPU");
  std::vector<Call> calls;
  for (const State& state : processor.states) {
    calls.push_back(Repeated([&] { SwitchByPipes(processor, state); }));
    calls.push_back(Repeated([&] { SwitchByFutex(processor, state); }));
  }
  const std::vector<double> nanoseconds = MedianNanoseconds(calls, rounds);
  const double clearing = MedianNanoseconds({Repeated(processor.clear)}, rounds)[0];
  sched_setaffinity(0, sizeof(before), &before);

  absl::FPrintF(to, "\nns a switch between two threads on one CPU\n%-12s %9s %9s\n", "registers",
                "pipe", "futex");
  for (size_t i = 0; i < processor.states.size(); ++i) {
    absl::FPrintF(to, "%-12s %9.0f %9.0f\n", processor.states[i].name,
                  nanoseconds[2 * i] / (2 * kSwitches), nanoseconds[2 * i + 1] / (2 * kSwitches));
  }
  absl::FPrintF(to, "clearing (%s) costs %.2f ns\n", processor.clear_name, clearing);
  return absl::OkStatus();
}

}  // namespace parity::bench

#else

namespace parity::bench {

absl::Status PrintContextSwitches(std::FILE*, int) { return absl::OkStatus(); }

}  // namespace parity::bench

#endif
