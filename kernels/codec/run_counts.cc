#include "parity/codec/run_counts.h"

#include <algorithm>

namespace parity::codec {
namespace {

constexpr uintptr_t kLineMask = 63;

// One thread writes, so an addition need not be atomic as a whole.
void AddTo(std::atomic<uint64_t>& counter, uint64_t value) {
  counter.store(counter.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
}

}  // namespace

Alignment AlignmentOf(absl::Span<const uint8_t* const> sources) {
  const auto first = reinterpret_cast<uintptr_t>(sources.front());
  uintptr_t differences = 0;
  for (const uint8_t* source : sources) {
    differences |= first ^ reinterpret_cast<uintptr_t>(source);
  }
  if ((differences & kLineMask) != 0) return Alignment::kMixed;
  return (first & kLineMask) == 0 ? Alignment::kAligned : Alignment::kEqual;
}

void RunCounts::Add(absl::Span<const uint8_t* const> sources, size_t bytes) {
  // The bits of bytes - 1.
  const size_t bits = bytes <= 1 ? 0 : 64 - static_cast<size_t>(__builtin_clzll(bytes - 1));
  const size_t length = std::min(bits, kLengths - 1);
  Cell& cell = cells_[length][static_cast<size_t>(AlignmentOf(sources))];
  AddTo(cell.count, 1);
  AddTo(cell.bytes, bytes);
}

}  // namespace parity::codec
