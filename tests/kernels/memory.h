// Memory for kernels to work on: reproducible noise, and buffers that nothing may be read or
// written around.
#ifndef PARITY_TESTS_KERNELS_MEMORY_H_
#define PARITY_TESTS_KERNELS_MEMORY_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace parity::kernels {

using Bytes = std::vector<uint8_t>;

inline Bytes Noise(size_t bytes, uint32_t seed) {
  std::mt19937_64 random(seed);
  Bytes noise(bytes);
  for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
    const uint64_t word = random();
    std::memcpy(noise.data() + at, &word, bytes - at < sizeof(word) ? bytes - at : sizeof(word));
  }
  return noise;
}

// `count` runs in one block, `skew` bytes out of step with each other.
template <class Byte>
std::vector<Byte*> RunsIn(Byte* block, size_t count, size_t bytes, size_t skew) {
  std::vector<Byte*> runs;
  for (size_t i = 0; i < count; ++i) runs.push_back(block + i * (bytes + skew));
  return runs;
}

// Where in a block, that is so much longer than what it is for, the first cache line starts.
inline size_t ToCacheLine(const uint8_t* block) { return -reinterpret_cast<uintptr_t>(block) % 64; }

// Whole pages of noise between two that fault.
class GuardedPages {
 public:
  GuardedPages(size_t min_bytes, uint32_t seed) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    bytes_ = (min_bytes + page - 1) / page * page;
    mapped_bytes_ = bytes_ + 2 * page;
    mapped_ = static_cast<uint8_t*>(
        mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (mapped_ == MAP_FAILED) ADD_FAILURE() << "mmap";
    start_ = mapped_ + page;
    Protect(PROT_READ | PROT_WRITE);
    const Bytes noise = Noise(bytes_, seed);
    std::memcpy(start_, noise.data(), bytes_);
  }
  ~GuardedPages() { munmap(mapped_, mapped_bytes_); }
  GuardedPages(const GuardedPages&) = delete;
  GuardedPages& operator=(const GuardedPages&) = delete;

  // From then on a write faults, too.
  void MakeReadOnly() { Protect(PROT_READ); }

  uint8_t* start() const { return start_; }
  uint8_t* end() const { return start_ + bytes_; }
  size_t bytes() const { return bytes_; }

 private:
  void Protect(int access) {
    if (mprotect(start_, bytes_, access) != 0) ADD_FAILURE() << "mprotect";
  }

  size_t bytes_;
  size_t mapped_bytes_;
  uint8_t* mapped_;
  uint8_t* start_;
};

}  // namespace parity::kernels

#endif  // PARITY_TESTS_KERNELS_MEMORY_H_
