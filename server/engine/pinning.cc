#include "parity/engine/pinning.h"

#include <pthread.h>
#include <sched.h>

#include <array>

#include "absl/strings/str_cat.h"

namespace parity::engine {
namespace {

constexpr uint32_t kMaxCpus = 8192;  // of Linux, on every architecture

}  // namespace

void NameThread(const std::string& name) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
}

absl::Status PinThread(uint32_t cpu) {
  std::array<cpu_set_t, kMaxCpus / CPU_SETSIZE> set{};
  if (cpu >= kMaxCpus) {
    return absl::InvalidArgumentError(
        absl::StrCat("CPU: got ", cpu, ", want less than ", kMaxCpus));
  }
  CPU_SET_S(cpu, sizeof set, set.data());
  const int error = pthread_setaffinity_np(pthread_self(), sizeof set, set.data());
  if (error == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(error, absl::StrCat("pinning to CPU ", cpu));
}

}  // namespace parity::engine
