// The rings of one client.
//
// Key decision: everything in the client's memory is an untrusted message. It is copied once, the
// copy is checked, and what the rings' counts should be is known here; a client whose numbers
// cannot be true is cut off.
#ifndef PARITY_RINGS_RING_H_
#define PARITY_RINGS_RING_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "parity/codec/codec.h"
#include "parity/endpoint/descriptor.h"
#include "parity/engine/stripe_job.h"
#include "parity/engine/stripe_processor.h"
#include "parity/region/region.h"
#include "parity/region/region_shards.h"
#include "parity/shm/layout.h"
#include "parity/shm/record.h"

namespace parity::rings {

struct Counters;
class RingRequest;

// A plan that a client has defined.
struct DefinedPlan {
  shm::Plan plan;
  engine::Operation operation;
  std::shared_ptr<const codec::Codec> codec;
  size_t factors;
};

// Lives on its worker's thread.
class Ring {
 public:
  Ring(std::shared_ptr<region::Region> region, endpoint::Descriptor socket, Counters& counters);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  int socket() const { return socket_.get(); }
  const region::Region& region() const { return *region_; }

  // Takes some of the records that are there and queues their jobs. False if it can take none now.
  // Not OK: what the client wrote makes no sense, and it must be cut off.
  absl::StatusOr<bool> TakeRecords(engine::StripeProcessor& processor);
  // Whether there are records to take, as far as one look at the client's memory tells.
  bool HasRecords() const;

  // Lets the client see the completions since the last time, and wakes it if it sleeps.
  void Publish();

  // Tells the client whether it must wake this side. After true, a sequentially consistent fence
  // and HasRecords() must be false before the worker sleeps.
  void SetSleeps(bool sleeps);

  // From now on records that the client has not published yet are left alone.
  void StopTaking();
  // From now on nothing is taken, and what is under way is not wanted. The ring must live until
  // nothing is.
  void Close();
  bool closed() const { return closed_; }
  size_t under_way() const { return under_way_; }

 private:
  friend class RingRequest;

  uint64_t Available() const;
  absl::StatusOr<bool> TakeRecord(uint64_t available, engine::StripeProcessor& processor);
  bool HasRoomForCompletion();
  void CopyWords(uint64_t from, size_t count);
  void Define(const shm::RecordHeader& header);
  shm::Outcome TryDefine(const shm::RecordHeader& header);
  absl::Status RunPlan(const shm::RecordHeader& header, engine::StripeProcessor& processor);
  void Complete(uint64_t id, shm::Outcome outcome, uint32_t detail);
  // Counts a record that makes no sense.
  void RecordFailed(engine::Operation operation);
  std::unique_ptr<RingRequest> NewRequest();
  // Of a request that is done.
  void Ended(std::unique_ptr<RingRequest> request);

  const std::shared_ptr<region::Region> region_;
  const endpoint::Descriptor socket_;
  Counters& counters_;
  shm::Submissions& submissions_;
  shm::Completions& completions_;

  // This side's own counts; those in shared memory are never read back.
  uint64_t taken_words_ = 0;
  uint64_t completed_ = 0;
  uint64_t published_ = 0;
  uint64_t taken_completions_ = 0;   // by the client, as it last said
  uint64_t last_word_ = UINT64_MAX;  // none is taken beyond it
  size_t under_way_ = 0;             // requests
  size_t words_under_way_ = 0;       // of their records: bounds what they cost to keep
  bool closed_ = false;

  std::array<std::shared_ptr<const DefinedPlan>, shm::kMaxPlans> plans_;
  std::vector<uint64_t> words_;  // of the record in hand
  engine::StripeProcessor::Line line_;
  std::vector<std::unique_ptr<RingRequest>> idle_requests_;
};

}  // namespace parity::rings

#endif  // PARITY_RINGS_RING_H_
