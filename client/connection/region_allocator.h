// Who has which pages of a region.
#ifndef PARITY_CLIENT_REGION_ALLOCATOR_H_
#define PARITY_CLIENT_REGION_ALLOCATOR_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "absl/types/span.h"

namespace parity::client {

// Thread-safe. First fit: what is used stays together at the beginning, and large pieces are left
// at the end. Touches no memory.
class RegionAllocator {
 public:
  // REQUIRES: both ends of `memory`, and pieces, are at multiples of `page`.
  RegionAllocator(absl::Span<uint8_t> memory, size_t page);

  // Whole pages, at least one; null if nowhere so many are free together.
  uint8_t* Allocate(size_t bytes);
  // REQUIRES: it was allocated with so many bytes.
  void Free(uint8_t* data, size_t bytes);

  // In all.
  size_t free_bytes() const;

 private:
  size_t WholePages(size_t bytes) const;

  const absl::Span<uint8_t> memory_;
  const size_t page_;
  mutable std::mutex mutex_;
  std::map<size_t, size_t> free_;  // bytes by offset; no two touch
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_REGION_ALLOCATOR_H_
