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

// The smallest of `physical_bytes` and the limits of the control group mounted under `root`:
// memory.max of cgroup v2 and memory/memory.limit_in_bytes of v1. Inside a container that is the
// container's own group. A limit of 0, or one that cannot be read, is none.
MemoryBound MemoryLimit(const std::string& root = "/sys/fs/cgroup",
                        uint64_t physical_bytes = PhysicalMemory());

// The default of the bytes that requests and their results may hold together. Of a control group's
// limit 1/4: with what may be arriving inside gRPC, memory stays below three times that. Of a
// machine's memory, which is not this process's alone, 1/16.
uint64_t DefaultHeldBytes(const MemoryBound& bound);

}  // namespace parity::engine

#endif  // PARITY_ENGINE_MEMORY_LIMIT_H_
