#include "process_usage.h"

#include <time.h>

#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"

namespace parity::bench {

double CpuSeconds(pid_t process) {
  clockid_t clock;
  timespec used;
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

MemoryUse MemoryOf(pid_t process) {
  MemoryUse use;
  std::ifstream status(absl::StrCat("/proc/", process, "/status"));
  std::string line;
  while (std::getline(status, line)) {
    std::istringstream fields(line);
    std::string name;
    uint64_t kib = 0;
    fields >> name >> kib;
    if (name == "VmRSS:") use.resident_bytes = kib * 1024;
    if (name == "VmHWM:") use.peak_bytes = kib * 1024;
  }
  return use;
}

}  // namespace parity::bench
