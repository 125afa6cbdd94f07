// One stripe over a shared ring, slice by slice.
//
// Key decision: a slice is finished, outputs copied and all, before the next one counts, so what
// was done stays done if the ring is lost: the rest of the stripe, which is a stripe too, goes on
// over another ring or inline.
#ifndef PARITY_CLIENT_STRIPE_RUN_H_
#define PARITY_CLIENT_STRIPE_RUN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "parity/client/request.h"
#include "shared_ring.h"

namespace parity::client {

// Not thread-safe.
class StripeRun {
 public:
  // REQUIRES: CheckRequest(request).
  explicit StripeRun(const Request& request) : request_(request) {}

  // Goes on from done(). UNAVAILABLE if the ring is lost; DEADLINE_EXCEEDED, then it is lost too,
  // or had no room; RESOURCE_EXHAUSTED if its region is too small for such a stripe. Other errors
  // are the server's answer to the stripe. After each of them nothing is under way.
  absl::Status Run(SharedRing& ring, absl::Time deadline);

  const Request& request() const { return request_; }
  // Bytes of every shard that are done, and reported.
  size_t done() const { return done_; }

 private:
  // Slices under way: one is copied while another is computed.
  static constexpr size_t kDepth = 2;

  struct Slice {
    SharedRing::Job job;
    size_t begin = 0;
    size_t end = 0;
    uint8_t* staging = nullptr;
    size_t staging_bytes = 0;
    uint8_t* report = nullptr;
    std::vector<uint8_t*> outputs;  // where the server puts them
  };
  // How the stripe goes over this ring.
  struct Way {
    std::vector<bool> source_in_place;
    bool outputs_in_place = false;
    size_t columns = 0;  // bytes of every shard in a slice
    size_t staged = 0;   // shards of a slice that are copied
  };

  bool is_update() const { return request_.operation == Operation::kUpdate; }
  bool is_verify() const { return request_.operation == Operation::kVerify; }
  size_t ReportRoom() const;
  // RESOURCE_EXHAUSTED if the region is too small.
  absl::Status FindWay(const SharedRing& ring);
  bool OutputsAreWholePages(const SharedRing& ring) const;
  size_t StagingOf(size_t columns) const;
  // Copies what the server is to read and submits it. REQUIRES: its staging memory is there.
  absl::Status Start(SharedRing& ring, Slice& slice, absl::Time deadline);
  // What is left to be done once the job is done.
  absl::Status Finish(Slice& slice);
  absl::Status ReadReport(const Slice& slice);
  // Whether verifying more can find no more.
  bool AllDiffer() const;

  const Request request_;
  size_t done_ = 0;
  Way way_;
  // Of the slice being started.
  std::vector<const uint8_t*> sources_;
  std::vector<size_t> lengths_;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_STRIPE_RUN_H_
