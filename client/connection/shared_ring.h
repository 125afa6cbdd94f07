// A ring that the threads of a process share, and its region.
//
// Key decision: there is no thread of the ring's own. Of those that wait, one takes completions and
// hands the others theirs; when it has its own it leaves that to another. So a single thread pays
// no switch, and the ring costs nothing while nobody waits.
//
// A ring that a call gives up is lost for good: the server may be frozen and go on later, so memory
// that it might still write is taken away from it before the call returns.
#ifndef PARITY_CLIENT_SHARED_RING_H_
#define PARITY_CLIENT_SHARED_RING_H_

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "parity/client/request.h"
#include "parity/client/ring.h"
#include "region_allocator.h"
#include "server_ring.h"

namespace parity::client {

// Thread-safe.
class SharedRing {
 public:
  // A job under way. It stays where it is until it is done or the ring is lost.
  class Job {
   public:
    Job() = default;
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    // Whole pages of the region, the caller's, that the job writes: once it is lost they are no
    // longer the server's. Set before Start.
    absl::InlinedVector<absl::Span<uint8_t>, 4> outputs_in_place;

    // Once awaited: how it ended.
    const absl::Status& status() const { return status_; }
    bool consistent() const { return consistent_; }

   private:
    friend class SharedRing;

    absl::Status status_;
    bool consistent_ = false;
    bool done_ = false;
    std::condition_variable* waiter_ = nullptr;  // of who waits for it
    Job* previous_ = nullptr;                    // among those under way
    Job* next_ = nullptr;
  };

  // Errors as of Ring::Connect.
  static absl::StatusOr<std::shared_ptr<SharedRing>> Connect(const RingOptions& options);

  explicit SharedRing(std::unique_ptr<ServerRing> ring);
  ~SharedRing();

  absl::Span<uint8_t> memory() const { return memory_; }
  size_t page() const { return page_; }
  bool Contains(const uint8_t* data, size_t bytes) const {
    const size_t offset =
        reinterpret_cast<uintptr_t>(data) - reinterpret_cast<uintptr_t>(memory_.data());
    return offset <= memory_.size() && bytes <= memory_.size() - offset;
  }

  // Memory of the region: what callers get, and what is copied through.
  RegionAllocator& pages() { return pages_; }
  // Staging memory, in whole pages; the second does not wait. In the order of asking. REQUIRES: who
  // waits holds none, and asks for no more than most_staging(). UNAVAILABLE if the ring is lost,
  // DEADLINE_EXCEEDED; null.
  absl::StatusOr<uint8_t*> Stage(size_t bytes, absl::Time deadline);
  uint8_t* TryStage(size_t bytes);
  void Unstage(uint8_t* data, size_t bytes);
  // Of one piece.
  size_t most_staging() const { return most_staging_; }

  // Submits a job of the request's operation, geometry and indices, which is a plan; `spec.plan`
  // and `spec.id` do not matter. Waits while the ring is full. UNAVAILABLE if the ring is lost,
  // DEADLINE_EXCEEDED, or what Ring::Submit says: then `job` is not under way.
  absl::Status Start(const Request& request, RingJob spec, Job& job, absl::Time deadline);

  // Waits for a job that was started: OK once it is done, however. UNAVAILABLE if the ring is lost.
  // DEADLINE_EXCEEDED: then the ring is lost, with all that is under way.
  absl::Status Await(Job& job, absl::Time deadline);

  // Gives the ring up: jobs under way are lost, the server is told, and what they write in place
  // becomes memory of this process alone.
  void Lose(const absl::Status& why);
  bool is_lost() const { return lost_ || ring_->IsInherited(); }
  // Whether the server has gone, though nobody has noticed yet.
  bool IsGone() const { return lost_ || ring_->IsClosed(); }

 private:
  struct Place {
    std::optional<RingPlan> plan;
    size_t factors = 0;
    uint64_t used = 0;  // when, last
  };

  // With the mutex held, from here on.
  void LoseLocked(const absl::Status& why);
  // OK and the place of the plan of the request; RESOURCE_EXHAUSTED if the ring has no room to
  // define it.
  absl::Status FindPlace(const Request& request, uint16_t& place);
  absl::Status Define(uint16_t place, RingPlan plan);
  // The place used longest ago, other than `except`, with more than `factors`.
  uint16_t OldestPlace(std::optional<uint16_t> except, size_t factors) const;
  // Waits until `job` is done, or if there is none, until anything was; leads meanwhile if nobody
  // does.
  absl::Status WaitFor(std::unique_lock<std::mutex>& lock, Job* job, absl::Time deadline);
  void TakeAll();
  void Link(Job& job);
  void Unlink(Job& job);

  const std::unique_ptr<ServerRing> ring_;
  const absl::Span<uint8_t> memory_;
  const size_t page_;
  const size_t most_staging_;
  RegionAllocator pages_;
  RegionAllocator staging_;

  std::mutex staging_mutex_;  // of the next three
  std::condition_variable unstaged_;
  uint64_t next_ticket_ = 0;
  std::deque<uint64_t> staging_queue_;  // tickets of who waits

  std::mutex mutex_;  // of all below, and of the ring but for who leads
  std::atomic<bool> lost_{false};
  absl::Status why_;
  bool led_ = false;
  uint64_t completions_ = 0;
  std::vector<std::condition_variable*> waiting_;
  std::vector<std::condition_variable*> want_room_;
  Job* under_way_ = nullptr;
  std::array<Place, Ring::kMaxPlans> places_;
  uint16_t last_place_ = 0;
  uint64_t uses_ = 0;
  size_t factors_ = 0;  // of all plans
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_SHARED_RING_H_
