#include "region_allocator.h"

#include <iterator>

namespace parity::client {

RegionAllocator::RegionAllocator(absl::Span<uint8_t> memory, size_t page)
    : memory_(memory), page_(page) {
  if (!memory.empty()) free_.emplace(0, memory.size());
}

size_t RegionAllocator::WholePages(size_t bytes) const {
  if (bytes == 0) return page_;
  // What is beyond the memory needs no rounding, which could overflow.
  if (bytes > memory_.size()) return bytes;
  return (bytes + page_ - 1) / page_ * page_;
}

uint8_t* RegionAllocator::Allocate(size_t bytes) {
  const size_t wanted = WholePages(bytes);
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto piece = free_.begin(); piece != free_.end(); ++piece) {
    const auto [offset, there] = *piece;
    if (there < wanted) continue;
    free_.erase(piece);
    if (there > wanted) free_.emplace(offset + wanted, there - wanted);
    return memory_.data() + offset;
  }
  return nullptr;
}

void RegionAllocator::Free(uint8_t* data, size_t bytes) {
  auto offset = static_cast<size_t>(data - memory_.data());
  size_t given = WholePages(bytes);
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto next = free_.lower_bound(offset);
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      offset = before->first;
      given += before->second;
      free_.erase(before);
    }
  }
  if (next != free_.end() && offset + given == next->first) {
    given += next->second;
    free_.erase(next);
  }
  free_.emplace(offset, given);
}

size_t RegionAllocator::free_bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  size_t bytes = 0;
  for (const auto& piece : free_) bytes += piece.second;
  return bytes;
}

}  // namespace parity::client
