// Calls of a coder that do not block the caller: callbacks.
//
// Key decision: a few threads over the blocking interface, so that every coder has it, also a
// program's own. Threads wait while servers compute: as many as calls are to be under way.
#ifndef PARITY_CLIENT_ASYNC_CODER_H_
#define PARITY_CLIENT_ASYNC_CODER_H_

#include <cstddef>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "parity/client/call_options.h"
#include "parity/client/coder.h"

namespace parity::client {

struct AsyncOptions {
  // Calls under way at the same time, at least 1. A thread is started when a call finds none idle,
  // and stays.
  size_t threads = 8;
  // Calls that wait for a thread; more are refused. 0: none waits.
  size_t most_queued = 1024;
};

// Thread-safe. Arguments are those of Coder. Lists - of shards, outputs, indices - are copied; the
// shards and outputs themselves, and options.cancellation, must stay until the callback.
//
// A callback is called exactly once, by a thread of the AsyncCoder, with how the call ended; or,
// before the function returns and by its caller's thread, if the call is refused:
//   RESOURCE_EXHAUSTED   most_queued calls wait already
//   UNAVAILABLE          there is no thread, and none can be started
//   FAILED_PRECONDITION  the process was forked after the AsyncCoder was made
// A callback may call the AsyncCoder, but it must not destroy it, wait for another callback or
// throw. While it runs its thread computes nothing.
class AsyncCoder {
 public:
  using Callback = std::function<void(absl::Status)>;
  using VerifyCallback = std::function<void(absl::StatusOr<codec::VerifyReport>)>;

  // `coder` must outlive it.
  explicit AsyncCoder(Coder& coder, const AsyncOptions& options = {});
  // Those calls that have not begun get CANCELLED, by the caller's thread; then those that run are
  // waited for. Returns when all callbacks have. In a forked child it does nothing.
  ~AsyncCoder();
  AsyncCoder(const AsyncCoder&) = delete;
  AsyncCoder& operator=(const AsyncCoder&) = delete;

  void EncodeAsync(const codec::Geometry& geometry, absl::Span<const ShardBytes> data,
                   size_t shard_bytes, absl::Span<uint8_t* const> parity,
                   const CallOptions& options, Callback callback);
  void ReconstructAsync(const codec::Geometry& geometry, absl::Span<const uint32_t> present,
                        absl::Span<const ShardBytes> shards, size_t shard_bytes,
                        absl::Span<const uint32_t> wanted, absl::Span<uint8_t* const> out,
                        const CallOptions& options, Callback callback);
  void VerifyAsync(const codec::Geometry& geometry, absl::Span<const ShardBytes> shards,
                   size_t shard_bytes, const CallOptions& options, VerifyCallback callback);
  void UpdateAsync(const codec::Geometry& geometry, absl::Span<const uint32_t> changed,
                   absl::Span<const ShardBytes> old_shards, absl::Span<const ShardBytes> new_shards,
                   size_t shard_bytes, absl::Span<uint8_t* const> parity,
                   const CallOptions& options, Callback callback);

 private:
  class Calls;
  std::unique_ptr<Calls> calls_;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_ASYNC_CODER_H_
