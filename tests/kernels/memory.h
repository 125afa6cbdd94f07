// Memory for kernels to work on: reproducible noise, and buffers that nothing may be read or
// written around.
#ifndef PARITY_TESTS_KERNELS_MEMORY_H_
#define PARITY_TESTS_KERNELS_MEMORY_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace parity::kernels {

inline std::vector<uint8_t> Noise(size_t bytes, uint32_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint8_t> noise(bytes);
  for (uint8_t& byte : noise) byte = static_cast<uint8_t>(random());
  return noise;
}

// Whole pages between two that fault.
class GuardedPages {
 public:
  explicit GuardedPages(size_t min_bytes) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    bytes_ = (min_bytes + page - 1) / page * page;
    mapped_bytes_ = bytes_ + 2 * page;
    mapped_ = static_cast<uint8_t*>(
        mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (mapped_ == MAP_FAILED) ADD_FAILURE() << "mmap";
    start_ = mapped_ + page;
    if (mprotect(start_, bytes_, PROT_READ | PROT_WRITE) != 0) ADD_FAILURE() << "mprotect";
  }
  ~GuardedPages() { munmap(mapped_, mapped_bytes_); }
  GuardedPages(const GuardedPages&) = delete;
  GuardedPages& operator=(const GuardedPages&) = delete;

  uint8_t* start() const { return start_; }
  uint8_t* end() const { return start_ + bytes_; }

 private:
  size_t bytes_;
  size_t mapped_bytes_;
  uint8_t* mapped_;
  uint8_t* start_;
};

}  // namespace parity::kernels

#endif  // PARITY_TESTS_KERNELS_MEMORY_H_
