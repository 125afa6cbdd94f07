// How much memory can still be had.
#ifndef PARITY_ENGINE_MEMORY_HEADROOM_H_
#define PARITY_ENGINE_MEMORY_HEADROOM_H_

#include <cstdint>
#include <string>

namespace parity::engine {

// Bytes that this process could still use before a limit of its control group, or of one above it,
// is met, or before the machine has no more: page cache that nobody has used lately counts as free.
// What cannot be read limits nothing. Memory of files without a disk (memfd) needs this: beyond the
// limit, touching it is no error but kills the process.
uint64_t MemoryHeadroom(const std::string& root = "/sys/fs/cgroup",
                        const std::string& membership = "/proc/self/cgroup",
                        const std::string& meminfo = "/proc/meminfo");

}  // namespace parity::engine

#endif  // PARITY_ENGINE_MEMORY_HEADROOM_H_
