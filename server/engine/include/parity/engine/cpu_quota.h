// How much CPU time the control group of this process allows.
#ifndef PARITY_ENGINE_CPU_QUOTA_H_
#define PARITY_ENGINE_CPU_QUOTA_H_

#include <optional>
#include <string>

namespace parity::engine {

// The quota in CPUs, for example 1.5: the smallest of this process's group and those above it that
// can be seen (see GroupDirectories), by cpu.max of cgroup v2 or cpu.cfs_quota_us and
// cpu.cfs_period_us of v1. Unset if there is no quota or none can be read.
std::optional<double> CpuQuota(const std::string& root = "/sys/fs/cgroup",
                               const std::string& membership = "/proc/self/cgroup");

}  // namespace parity::engine

#endif  // PARITY_ENGINE_CPU_QUOTA_H_
