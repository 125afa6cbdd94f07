// Makes calls of a coder and measures how long they take.
//
// Key decision: in an open loop calls are due by a schedule (schedule.h), and latency counts from
// then, not from when a thread came to make the call. Else one stall of a second would count as one
// slow call, though it delays all that were due in that second: coordinated omission.
#ifndef PARITY_LOAD_LOAD_H_
#define PARITY_LOAD_LOAD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "parity/client/buffer.h"
#include "parity/client/coder.h"
#include "parity/codec/geometry.h"
#include "parity/load/clock.h"
#include "parity/load/mix.h"
#include "parity/load/schedule.h"
#include "parity/timing/latency_histogram.h"

namespace parity::load {

// What is asked of the coder.
struct WorkOptions {
  OperationMix operations = {{client::Operation::kEncode, 1}};
  SizeMix shard_bytes = {{size_t{64} << 10, 1}};
  // How many shards a reconstruction computes, at most m; which ones changes from call to call.
  uint32_t lost_shards = 1;
  // Shards begin at odd addresses; else each begins on a page.
  bool unaligned = false;
  // Compares what every call gives with what the kernels of this process give, not counting in the
  // time that takes. The first difference ends the load.
  bool check = false;
  // Of all that is random.
  uint64_t seed = 1;
  // Where a thread's shards lie. Unset: client::AllocateBuffer.
  std::function<absl::StatusOr<client::Buffer>(size_t bytes)> allocate = nullptr;
};

struct LoadOptions {
  WorkOptions work;
  // Each makes one call at a time.
  int threads = 1;
  // Calls a second that all threads together are to make. Unset: a closed loop, in which every
  // thread calls again as soon as it has its answer.
  std::optional<double> rate;
  Arrivals arrivals = Arrivals::kConstant;
  // Measured after the warm-up, whose calls count for nothing.
  absl::Duration duration = absl::Seconds(10);
  absl::Duration warmup = absl::Seconds(1);
  // Null: SteadyClock().
  Clock* clock = nullptr;
  // Asked about every 50 ms, by the thread of RunLoad, whether to end now. Unset: never.
  std::function<bool()> is_stopped = nullptr;
  // Told the result so far about every second, by the same thread. Unset: nobody is.
  std::function<void(const struct LoadResult&)> progress = nullptr;
};

// Where a call gave something else than local kernels do.
struct Mismatch {
  client::Operation operation;
  size_t shard_bytes;
  uint32_t shard;
  uint64_t offset;  // of the first byte that differs
  std::string what;

  // "encode, shards of 4096 bytes: shard 5, offset 17: got 0x00, want 0x2a"
  std::string ToString() const;
};

struct LoadResult {
  struct Errors {
    uint64_t count;
    std::string first;  // its message
  };
  uint64_t calls = 0;                      // that succeeded
  std::array<uint64_t, 4> by_operation{};  // of those, by client::Operation
  // Of the data shards of those; to update, of the changed one.
  uint64_t data_bytes = 0;
  std::map<absl::StatusCode, Errors> errors;
  // Calls of an open loop that were due but not answered when time was up. Their latency counts
  // until then.
  uint64_t unfinished_calls = 0;
  double seconds = 0;  // that were measured

  // From when a call was due, without those that failed. Of a closed loop: an estimate, corrected
  // for calls due every `expected_interval_ns` in each thread, the average time from call to call.
  timing::LatencyHistogram latency;
  // From when it was made: what a closed loop measures. Hides what a stall does to other calls.
  timing::LatencyHistogram service;
  uint64_t expected_interval_ns = 0;  // 0 in an open loop

  uint64_t checked_calls = 0;  // those of the warm-up, too
  std::optional<Mismatch> mismatch;
  bool uses_shared_memory = false;  // all threads' shards lie in memory that the server shares

  uint64_t failed_calls() const;
};

// Runs for warmup + duration, and until the calls then under way are answered; if it is stopped it
// cancels them. The result is also that of a load whose every call failed. RESOURCE_EXHAUSTED: no
// memory; FAILED_PRECONDITION: the shards lost cannot be computed, with such a matrix; other errors
// as Coder has them.
// REQUIRES: threads > 0, rate > 0, work.lost_shards > 0 and at most the parity shards.
absl::StatusOr<LoadResult> RunLoad(client::Coder& coder, const codec::Geometry& geometry,
                                   const LoadOptions& options);

}  // namespace parity::load

#endif  // PARITY_LOAD_LOAD_H_
