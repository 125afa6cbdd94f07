// How long the runs are that the kernels get, and how their sources lie in memory.
#ifndef PARITY_CODEC_RUN_COUNTS_H_
#define PARITY_CODEC_RUN_COUNTS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace parity::codec {

// To the 64-byte lines of memory.
enum class Alignment : uint8_t {
  kAligned = 0,  // every source starts on one
  kEqual = 1,    // all start equally far from one: peeling the first bytes aligns all of them
  kMixed = 2,
};

// REQUIRES: at least one source.
Alignment AlignmentOf(absl::Span<const uint8_t* const> sources);

// Counts by length, in powers of two, and alignment. One thread adds; any may read meanwhile.
class RunCounts {
 public:
  static constexpr size_t kLengths = 41;  // runs of up to 2^0 .. 2^40 bytes
  static constexpr size_t kAlignments = 3;

  // REQUIRES: at least one source and one byte.
  void Add(absl::Span<const uint8_t* const> sources, size_t bytes);

  // Of runs of at most 2^length bytes, and more than half of that.
  uint64_t count(size_t length, Alignment alignment) const {
    return Read(cells_[length][static_cast<size_t>(alignment)].count);
  }
  uint64_t bytes(size_t length, Alignment alignment) const {
    return Read(cells_[length][static_cast<size_t>(alignment)].bytes);
  }

 private:
  using Counter = std::atomic<uint64_t>;
  struct Cell {
    Counter count{0};
    Counter bytes{0};
  };
  static uint64_t Read(const Counter& counter) { return counter.load(std::memory_order_relaxed); }

  std::array<std::array<Cell, kAlignments>, kLengths> cells_;
};

}  // namespace parity::codec

#endif  // PARITY_CODEC_RUN_COUNTS_H_
