#include "parity/engine/cpu_throttling.h"

#include <fstream>

#include "parity/engine/control_group.h"

namespace parity::engine {

std::optional<CpuThrottling> ReadCpuThrottling(const std::string& root,
                                               const std::string& membership) {
  for (const std::string& directory : GroupDirectories("cpu", root, membership)) {
    std::ifstream file(directory + "/cpu.stat");
    CpuThrottling read;
    std::string name;
    double value = 0;
    while (file >> name >> value) {
      if (name == "nr_periods") read.periods = static_cast<uint64_t>(value);
      if (name == "nr_throttled") read.throttled_periods = static_cast<uint64_t>(value);
      if (name == "throttled_usec") read.throttled_seconds = value * 1e-6;  // v2
      if (name == "throttled_time") read.throttled_seconds = value * 1e-9;  // v1
    }
    if (read.periods > 0) return read;
  }
  return std::nullopt;
}

}  // namespace parity::engine
