#include "parity/engine/pinning.h"

#include <pthread.h>
#include <sched.h>

#include <memory>

#include "absl/strings/str_cat.h"

namespace parity::engine {

void NameThread(const std::string& name) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
}

absl::Status PinThread(uint32_t cpu) {
  struct Free {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
  };
  std::unique_ptr<cpu_set_t, Free> set(CPU_ALLOC(cpu + 1));
  const size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
  CPU_ZERO_S(bytes, set.get());
  CPU_SET_S(cpu, bytes, set.get());
  const int error = pthread_setaffinity_np(pthread_self(), bytes, set.get());
  if (error == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(error, absl::StrCat("pinning to CPU ", cpu));
}

}  // namespace parity::engine
