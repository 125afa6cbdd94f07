#include "parity/engine/memory_limit.h"

#include <unistd.h>

#include <fstream>

#include "parity/engine/control_group.h"

namespace parity::engine {

uint64_t PhysicalMemory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

MemoryBound MemoryLimit(const std::string& root, uint64_t physical_bytes,
                        const std::string& membership) {
  MemoryBound bound{physical_bytes, false};
  for (const std::string& directory : GroupDirectories("memory", root, membership)) {
    for (const char* file : {"/memory.max", "/memory.limit_in_bytes"}) {
      // v2 says "max" for no limit, which is no number; v1 a number beyond any memory.
      std::ifstream stream(directory + file);
      uint64_t bytes = 0;
      if (stream >> bytes && bytes > 0 && bytes < bound.bytes) bound = {bytes, true};
    }
  }
  return bound;
}

uint64_t DefaultHeldBytes(const MemoryBound& bound) {
  return bound.bytes / (bound.from_cgroup ? 5 : 16);
}

}  // namespace parity::engine
