// How much memory this process may use, and how much of it requests may hold.
#ifndef PARITY_ENGINE_MEMORY_LIMIT_H_
#define PARITY_ENGINE_MEMORY_LIMIT_H_

#include <cstdint>
#include <string>

namespace parity::engine {

struct MemoryBound {
  uint64_t bytes;
  bool from_cgroup;  // false: it is the memory of the machine
};

// The memory of the machine that this runs on, in bytes.
uint64_t PhysicalMemory();

// The smallest of `physical_bytes` and the limits of this process's group and those above it that
// can be seen (see GroupDirectories): memory.max of cgroup v2 and memory.limit_in_bytes of v1. A
// limit of 0, or one that cannot be read, is none.
MemoryBound MemoryLimit(const std::string& root = "/sys/fs/cgroup",
                        uint64_t physical_bytes = PhysicalMemory(),
                        const std::string& membership = "/proc/self/cgroup");

// The default of the bytes that requests and their results may hold together. Of a control group's
// limit 1/5: with what may be arriving inside gRPC, memory stays below three times that, and what
// the process needs itself. Of a
// machine's memory, which is not this process's alone, 1/16.
uint64_t DefaultHeldBytes(const MemoryBound& bound);

}  // namespace parity::engine

#endif  // PARITY_ENGINE_MEMORY_LIMIT_H_
