#include "parity/engine/cpu_quota.h"

#include <fstream>

namespace parity::engine {
namespace {

// Two numbers, from one file each or both from the first.
std::optional<double> Ratio(std::istream& quota_file, std::istream& period_file) {
  double quota = 0;
  double period = 0;
  if (!(quota_file >> quota) || !(period_file >> period))
    return std::nullopt;                               // "max" is no number
  if (quota <= 0 || period <= 0) return std::nullopt;  // v1 says -1 for no quota
  return quota / period;
}

}  // namespace

std::optional<double> CpuQuota(const std::string& root) {
  std::ifstream v2(root + "/cpu.max");
  if (v2) return Ratio(v2, v2);
  std::ifstream quota(root + "/cpu/cpu.cfs_quota_us");
  std::ifstream period(root + "/cpu/cpu.cfs_period_us");
  return Ratio(quota, period);
}

}  // namespace parity::engine
