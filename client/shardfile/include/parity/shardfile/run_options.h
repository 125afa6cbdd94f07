// How an operation on a whole object runs.
#ifndef PARITY_SHARDFILE_RUN_OPTIONS_H_
#define PARITY_SHARDFILE_RUN_OPTIONS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "parity/client/buffer.h"

namespace parity::shardfile {

struct RunOptions {
  // Stripes that are read, computed and written at the same time, each on a thread of its own: more
  // hide the latency of a server or a disk, and each takes the memory of its k+m cells.
  uint32_t stripes_in_flight = 4;
  // Gives the memory of a stripe; RemoteCoder::Allocate lets files be read into memory that the
  // server shares. Null: ordinary memory. Thread-safe.
  std::function<absl::StatusOr<client::Buffer>(size_t bytes)> allocate = nullptr;
  // Becoming true, it ends the operation with CANCELLED before the next stripe, and no file has
  // appeared or changed. Null: no way to cancel.
  const std::atomic<bool>* cancelled = nullptr;

  bool is_cancelled() const {
    return cancelled != nullptr && cancelled->load(std::memory_order_relaxed);
  }
};

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_RUN_OPTIONS_H_
