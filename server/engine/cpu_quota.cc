#include "parity/engine/cpu_quota.h"

#include <fstream>

#include "parity/engine/control_group.h"

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

std::optional<double> CpuQuota(const std::string& root, const std::string& membership) {
  std::optional<double> smallest;
  for (const std::string& directory : GroupDirectories("cpu", root, membership)) {
    std::ifstream v2(directory + "/cpu.max");
    std::ifstream quota(directory + "/cpu.cfs_quota_us");
    std::ifstream period(directory + "/cpu.cfs_period_us");
    const std::optional<double> here = v2 ? Ratio(v2, v2) : Ratio(quota, period);
    if (here.has_value() && (!smallest.has_value() || *here < *smallest)) smallest = here;
  }
  return smallest;
}

}  // namespace parity::engine
