// How often the control group of this process had to wait for CPU time.
#ifndef PARITY_ENGINE_CPU_THROTTLING_H_
#define PARITY_ENGINE_CPU_THROTTLING_H_

#include <cstdint>
#include <optional>
#include <string>

namespace parity::engine {

struct CpuThrottling {
  uint64_t periods = 0;            // of the quota, with something to run
  uint64_t throttled_periods = 0;  // in which the quota was used up
  double throttled_seconds = 0;    // of all its threads together
};

// Those of the nearest group that has a quota, by cpu.stat of cgroup v2 or v1; see CpuQuota. Unset
// if none has.
std::optional<CpuThrottling> ReadCpuThrottling(const std::string& root = "/sys/fs/cgroup",
                                               const std::string& membership = "/proc/self/cgroup");

}  // namespace parity::engine

#endif  // PARITY_ENGINE_CPU_THROTTLING_H_
