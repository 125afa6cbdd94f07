// Objects of any size over any coder: encoded as they stream in, read by ranges, also when shards
// are lost.
//
// Key decision: what is sequential - the object itself, progress, memory - is done by the thread
// that called; what is positioned - shards - by the threads of the operation. So a source or a sink
// need not be thread-safe, and several stripes are computed and moved at once.
#ifndef PARITY_CLIENT_OBJECT_H_
#define PARITY_CLIENT_OBJECT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "parity/client/buffer.h"
#include "parity/client/call_options.h"
#include "parity/client/coder.h"
#include "parity/client/object_layout.h"

namespace parity::client {

// The interfaces that a store implements. Their functions must not throw. A function that never
// returns holds up the operation: deadlines and cancellation end the coder's calls, not these.

// Called by the thread that called the operation, alone.
class ObjectReader {
 public:
  virtual ~ObjectReader() = default;
  // Fills `out` with what follows. Returns how many bytes that were: fewer than asked for only if
  // the object ends there, after which it is not called again.
  virtual absl::StatusOr<size_t> Read(absl::Span<uint8_t> out) = 0;
};

// Called by the thread that called the operation, alone.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  // Takes all of what follows; `bytes` are not to be used after it returns.
  virtual absl::Status Write(ShardBytes bytes) = 0;
};

// Called by the threads of the operation, the caller's among them, and by up to stripes_in_flight
// of them at once; never at once for ranges that overlap. A stripe's cells are moved by one thread,
// one after the other.
class ShardWriter {
 public:
  virtual ~ShardWriter() = default;
  virtual absl::Status Write(uint64_t offset, ShardBytes bytes) = 0;
};

// As ShardWriter.
class ShardReader {
 public:
  virtual ~ShardReader() = default;
  // Fills `out` or fails.
  virtual absl::Status Read(uint64_t offset, absl::Span<uint8_t> out) = 0;
};

struct ObjectOptions {
  // See ObjectLayout. 0: DefaultCellBytes. For EncodeObject; ReadObject takes the layout's.
  uint32_t cell_bytes = 0;
  // Stripes under way at the same time, 1 to kMaxStripesInFlight: more hide the latency of servers
  // and shards. They bound memory: stripes_in_flight * (k + m) * cell_bytes. Each but one alone has
  // a thread while the operation runs; if threads cannot be started, fewer do, or the caller's.
  uint32_t stripes_in_flight = 4;
  // Gives the memory of a stripe, used for one after the other and freed before the operation
  // returns. Client::Allocate lets it be memory that the server shares. Called by the thread that
  // called the operation. Null: ordinary memory.
  std::function<absl::StatusOr<Buffer>(size_t bytes)> allocate = nullptr;
  // When the operation must have ended, and how long each call of the coder may take.
  absl::Time deadline = absl::InfiniteFuture();
  absl::Duration call_timeout = absl::InfiniteDuration();
  // Ends the operation with CANCELLED. Null: nothing does.
  Cancellation* cancellation = nullptr;
  // Of the coder's calls: CallOptions has it.
  std::string traceparent = {};
  // For EncodeObject, if it is known beforehand: exactly so many bytes are read, no end is looked
  // for, and small objects take little memory. ABORTED if the source ends before.
  std::optional<uint64_t> object_bytes = std::nullopt;
  // Told, after each stripe, how many bytes of the object are done from its start or that of the
  // range, and how many there are once that is known. Called by the thread that called the
  // operation; rises with every call.
  std::function<void(uint64_t done, std::optional<uint64_t> total)> progress = nullptr;
};

inline constexpr uint32_t kMaxStripesInFlight = 1024;

// Reads an object to its end and writes its shards; shards[i] takes shard i, null: not wanted. The
// layout it returns is needed to read it.
//
// After an error no further stripe is begun, and what was written is to be thrown away. Of several,
// the error of the first stripe is returned: the source's, a shard's, the coder's; or
// INVALID_ARGUMENT naming the field (options included), ABORTED as above, CANCELLED,
// DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED without memory.
absl::StatusOr<ObjectLayout> EncodeObject(Coder& coder, const codec::Geometry& geometry,
                                          ObjectReader& object,
                                          absl::Span<ShardWriter* const> shards,
                                          const ObjectOptions& options = {});

// How reading has ended. All but `status` holds after errors, too.
struct ObjectRead {
  struct FailedShard {
    uint32_t shard;
    uint64_t stripe;     // the lowest in which it was seen to fail
    absl::Status error;  // what it failed with there
  };
  absl::Status status;
  uint64_t bytes_written = 0;          // the start of the range, which the writer has taken
  uint64_t reconstructed_stripes = 0;  // of those
  // Those that are to be repaired, by shard; those that were null are not among them.
  std::vector<FailedShard> failed_shards;
};

// Writes `bytes` bytes of the object from `offset` on, in order. shards[i] reads shard i; null: it
// is lost.
//
// Of the data shards just the range is read. Where one is lost or fails to read, whatever the
// error, others are read as ShardsNeeded says, the same columns alone, and it is computed. One that
// fails with DATA_LOSS is tried again in other stripes; one that fails otherwise is not, unless
// the stripe cannot be had without.
//
// Errors: as EncodeObject, and DATA_LOSS, naming the stripe and the shards, if those left do not
// suffice; the writer's.
[[nodiscard]] ObjectRead ReadObject(Coder& coder, const ObjectLayout& layout,
                                    absl::Span<ShardReader* const> shards, uint64_t offset,
                                    uint64_t bytes, ObjectWriter& object,
                                    const ObjectOptions& options = {});

}  // namespace parity::client

#endif  // PARITY_CLIENT_OBJECT_H_
