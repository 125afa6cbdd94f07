#include "parity/codec/run_counts.h"

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
  size_t length = 0;
  for (size_t rest = bytes - 1; rest > 0 && length + 1 < kLengths; rest >>= 1) ++length;
  Cell& cell = cells_[length][static_cast<size_t>(AlignmentOf(sources))];
  AddTo(cell.count, 1);
  AddTo(cell.bytes, bytes);
}

}  // namespace parity::codec
