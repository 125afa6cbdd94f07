// The rings of a server on the same host: parity of shards that lie in shared memory, without a
// socket and without a copy.
//
// Key decision: this is the bare path, for programs that keep many stripes under way from one
// thread. A Connection, and so a Client, uses one by itself for its blocking calls.
//
//   ring->Define(0, {Operation::kEncode, geometry, {}, {}}, id);  // need not be waited for
//   for each stripe: ring->Submit(job);                               // until there is no room
//   ring->Wait(deadline);                                             // publishes, too
//   for (const RingCompletion& done : ring->Take()) ...               // of jobs and plans
#ifndef PARITY_CLIENT_RING_H_
#define PARITY_CLIENT_RING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "parity/client/request.h"
#include "parity/codec/codec.h"
#include "parity/codec/geometry.h"

namespace parity::client {

struct RingOptions {
  // unix:PATH, where the server listens for gRPC; the socket for shared memory is beside it.
  std::string target;
  // Of the region; the server rounds up to whole pages.
  uint64_t region_bytes = uint64_t{64} << 20;
  // The NUMA node for the region's memory. Unset: the one that the calling thread runs on.
  std::optional<uint32_t> node;
  // How long Wait looks for completions before it sleeps: waking a thread takes some 20 to 50 us.
  // It costs that much of a CPU each time nothing comes; it gives way to other threads meanwhile.
  absl::Duration spin = absl::Microseconds(50);
  // The longest that Connect may take. Securing the memory takes the server 0.4 s for 1 GiB.
  absl::Duration connect_timeout = absl::Seconds(5);
};

// What is to be done with stripes: defined once, then run any number of times.
struct RingPlan {
  Operation operation;
  codec::Geometry geometry;
  // To reconstruct: the shards present and those wanted. To update: the changed data shards.
  std::vector<uint32_t> indices;
  std::vector<uint32_t> wanted;
};

// One run of a plan. All memory is the ring's; it must not be written by others, and outputs must
// not be read, until the job's completion has been taken.
struct RingJob {
  uint64_t id = 0;    // the caller's own
  uint16_t plan = 0;  // its place
  uint32_t stripes = 1;
  size_t shard_bytes = 0;
  // Those of the first stripe, then those of the second, and so on. Of a stripe: the k data shards
  // to encode, the present ones to reconstruct from, all to verify; to update, the old contents of
  // the changed data shards, the new ones, and all parity shards, which change where they lie.
  absl::Span<const uint8_t* const> sources;
  // None, or the length of every source: it counts as followed by zeros up to shard_bytes, and may
  // be anywhere if it is 0. Parity to update has shard_bytes.
  absl::Span<const size_t> lengths;
  // The parity or the wanted shards of every stripe; none to verify and to update. They overlap
  // neither each other nor a source.
  absl::Span<uint8_t* const> outputs;
  // To verify: where the server puts what it finds, Ring::ReportBytes at a multiple of 8, apart
  // from the sources.
  uint8_t* report = nullptr;
};

struct RingCompletion {
  uint64_t id;
  // INVALID_ARGUMENT naming the field of the job, or "plan"; FAILED_PRECONDITION naming "present"
  // if those do not determine the wanted shards.
  absl::Status status;
  bool consistent;  // to verify: it was done, and found no mismatch
};

// What verifying found.
struct RingReport {
  struct Mismatch {
    uint32_t stripe;
    codec::VerifyReport::Mismatch at;
  };
  std::vector<Mismatch> mismatches;  // by stripe; 1,024 at most
  bool more = false;                 // than these
  std::optional<uint32_t> suspect;   // of the first stripe that is inconsistent
};

// Not thread-safe. After an UNAVAILABLE the server is gone: jobs under way will not be completed,
// and the memory stays as it is until the ring is destroyed. To go on, connect a new ring, define
// the plans again and submit again what was not completed. Wait notices it at once; one that never
// waits learns of it from Submit, when the ring is full.
// After fork() only the parent can use it: in the child everything is UNAVAILABLE.
class Ring {
 public:
  // Jobs that may be under way.
  static constexpr size_t kMaxJobs = 1'024;
  static constexpr uint16_t kMaxPlans = 64;

  // INVALID_ARGUMENT naming "target" or "region_bytes"; UNAVAILABLE if no server shares memory
  // there; PERMISSION_DENIED if it does not with this user; RESOURCE_EXHAUSTED if the region is
  // longer than it allows (Client::GetServerInfo tells) or there is no room for it now;
  // DEADLINE_EXCEEDED.
  static absl::StatusOr<std::unique_ptr<Ring>> Connect(const RingOptions& options);

  virtual ~Ring() = default;

  // The region, zeroed at first. At a multiple of 2 MiB if it is that long, else of a page.
  virtual absl::Span<uint8_t> memory() = 0;
  // Its id in requests over gRPC, and the node that its pages are on.
  virtual uint64_t region() const = 0;
  virtual uint32_t node() const = 0;

  // Puts a plan in a place, 0 to kMaxPlans - 1; jobs submitted before keep theirs. Its completion
  // comes like that of a job, with this id. INVALID_ARGUMENT naming "plan"; RESOURCE_EXHAUSTED if
  // there is no room: take completions first; UNAVAILABLE if that is so because the server is gone.
  // Whether the indices go with the geometry shows when a job runs.
  virtual absl::Status Define(uint16_t place, const RingPlan& plan, uint64_t id) = 0;

  // Queues a job, for the next Publish or Wait. INVALID_ARGUMENT naming the field if it is not what
  // its plan calls for or memory is not the ring's; RESOURCE_EXHAUSTED and UNAVAILABLE as Define.
  // The server checks that outputs overlap nothing, and that all shards together, if every one were
  // full, are no longer than the region. Cost: some 20 ns, and 1 ns a shard.
  virtual absl::Status Submit(const RingJob& job) = 0;

  // Lets the server see what was queued. Cost: some ns; a system call if it sleeps.
  virtual void Publish() = 0;

  // Jobs and plans that are submitted and whose completions are not taken.
  virtual size_t under_way() const = 0;

  // Takes completions that are there, at most `most`, in no particular order. Does not wait. The
  // memory of the answer is the ring's until the next call.
  virtual absl::Span<const RingCompletion> Take(size_t most = kMaxJobs) = 0;

  // Publishes, then waits until there are `at_least` completions to take, or as many as are under
  // way. To wake a thread that sleeps takes the server up to 20 us: one that keeps several large
  // jobs under way gets more done if it asks for half of them at a time. UNAVAILABLE if the server
  // is gone, or writes what cannot be, and nothing is there to take; DEADLINE_EXCEEDED.
  virtual absl::Status Wait(absl::Time deadline, size_t at_least = 1) = 0;

  // Room for the report of so many stripes.
  static size_t ReportBytes(const codec::Geometry& geometry, uint32_t stripes);
  // What a report of so many bytes says once the job is completed. The server wrote it: its indices
  // and offsets are as they are.
  static RingReport ReadReport(absl::Span<const uint8_t> report);
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_RING_H_
