// The memory that all rows are measured in.
#ifndef PARITY_KERNELS_BENCH_ARENA_H_
#define PARITY_KERNELS_BENCH_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <random>

#include "absl/status/statusor.h"
#include "grid.h"

namespace parity::bench {

// One mapping without huge pages, as a service sees that takes its buffers from the heap. Each
// shard has whole pages of its own, one after the other, and at least 64 bytes to move in. All of
// it is noise and was written before anything is timed.
class Arena {
 public:
  static absl::StatusOr<Arena> Make(size_t capacity_bytes);
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&&) = delete;
  ~Arena();

  // What a shard of that many bytes takes.
  static size_t Footprint(size_t shard_bytes);

  size_t capacity_bytes() const { return capacity_bytes_; }

  // Takes back all shards. The random starts that follow are the same each time.
  void Reset();
  // The next shard. REQUIRES: it fits.
  uint8_t* Place(size_t shard_bytes, Alignment alignment);

 private:
  Arena(uint8_t* start, size_t capacity_bytes);

  uint8_t* start_;
  size_t capacity_bytes_;
  size_t noise_bytes_ = 0;  // how much from the start on has been written
  size_t used_bytes_ = 0;
  std::minstd_rand random_;
};

}  // namespace parity::bench

#endif  // PARITY_KERNELS_BENCH_ARENA_H_
