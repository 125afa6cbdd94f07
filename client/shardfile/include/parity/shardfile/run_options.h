// How an operation on a whole object runs.
#ifndef PARITY_SHARDFILE_RUN_OPTIONS_H_
#define PARITY_SHARDFILE_RUN_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "parity/client/buffer.h"
#include "parity/client/call_options.h"

namespace parity::shardfile {

struct RunOptions {
  // Stripes that are read, computed and written at the same time, each on a thread of its own: more
  // hide the latency of a server or a disk, and each takes the memory of its k+m cells.
  uint32_t stripes_in_flight = 4;
  // Gives the memory of a stripe; Client::Allocate lets files be read into memory that the server
  // shares. Null: ordinary memory. Thread-safe.
  std::function<absl::StatusOr<client::Buffer>(size_t bytes)> allocate = nullptr;
  // Ends the operation with CANCELLED, also in the middle of a call, and no file has appeared or
  // changed. Null: no way to cancel. Must outlive the operation.
  client::Cancellation* cancellation = nullptr;
  // Of the calls that compute: client::CallOptions has it.
  std::string traceparent = {};
  // Told how many bytes of the object are done, of how many: never less than before, and `total`
  // does not change. An operation that reads the object twice counts it twice. By one thread at a
  // time, whichever it is; what it does delays them all. Unset: nobody.
  std::function<void(uint64_t done, uint64_t total)> progress = nullptr;

  bool is_cancelled() const { return cancellation != nullptr && cancellation->is_cancelled(); }
  client::CallOptions call() const { return {absl::InfiniteFuture(), cancellation, traceparent}; }
};

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_RUN_OPTIONS_H_
