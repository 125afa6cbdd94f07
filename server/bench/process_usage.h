// What a process takes from the machine.
#ifndef PARITY_SERVER_BENCH_PROCESS_USAGE_H_
#define PARITY_SERVER_BENCH_PROCESS_USAGE_H_

#include <sys/types.h>

#include <cstdint>

namespace parity::bench {

// CPU time, user and system, of all threads that the process has and had; in nanosecond steps. 0 if
// there is no such process.
double CpuSeconds(pid_t process);

struct MemoryUse {
  uint64_t resident_bytes = 0;
  uint64_t peak_bytes = 0;  // the most that were resident so far
};

// All 0 if there is no such process.
MemoryUse MemoryOf(pid_t process);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_PROCESS_USAGE_H_
