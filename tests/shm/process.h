// What a process holds, as the kernel counts it.
#ifndef PARITY_TESTS_SHM_PROCESS_H_
#define PARITY_TESTS_SHM_PROCESS_H_

#include <dirent.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>

namespace parity::shm {

// Open descriptors of a process; of this one by default.
inline size_t OpenDescriptors(const std::string& process = "self") {
  DIR* const directory = opendir(("/proc/" + process + "/fd").c_str());
  if (directory == nullptr) return 0;
  size_t count = 0;
  while (const dirent* const entry = readdir(directory)) count += entry->d_name[0] != '.' ? 1 : 0;
  closedir(directory);
  // Not the one that this has read the directory by.
  return process == "self" ? count - 1 : count;
}

// The number that the next descriptor would get.
inline int NextDescriptor() {
  const int next = dup(STDIN_FILENO);
  close(next);
  return next;
}

// "VmSize", "RssShmem" and the like, in bytes.
inline uint64_t MemoryOf(const std::string& name, const std::string& process = "self") {
  std::ifstream status("/proc/" + process + "/status");
  std::string word;
  while (status >> word) {
    if (word != name + ":") continue;
    uint64_t kib = 0;
    status >> kib;
    return kib << 10;
  }
  return 0;
}

inline uint64_t PageBytes() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace parity::shm

#endif  // PARITY_TESTS_SHM_PROCESS_H_
