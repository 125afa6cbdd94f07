// A pinned thread that serves the rings of some clients.
#ifndef PARITY_RINGS_RING_WORKER_H_
#define PARITY_RINGS_RING_WORKER_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "counters.h"
#include "parity/endpoint/descriptor.h"
#include "parity/engine/job_share.h"
#include "parity/engine/stripe_processor.h"
#include "parity/engine/worker_plan.h"
#include "parity/kernels/kernel_table.h"
#include "parity/region/region_table.h"
#include "ring.h"

namespace parity::rings {

class RingWorker {
 public:
  // What all workers have in common.
  struct Shared {
    const kernels::KernelTable& table;
    absl::Duration spin;
    std::shared_ptr<region::RegionTable> regions;
  };

  // `shared` and `crew` must outlive it.
  RingWorker(size_t id, engine::WorkerPlan::Worker place, const Shared& shared, engine::Crew& crew);
  // Stops at once, if Stop was not called.
  ~RingWorker();
  RingWorker(const RingWorker&) = delete;
  RingWorker& operator=(const RingWorker&) = delete;

  // Starts the thread. An error of the operating system is returned as it is.
  absl::Status Start();

  // For any thread.
  const engine::WorkerPlan::Worker& place() const { return place_; }
  size_t rings() const { return ring_count_.load(std::memory_order_relaxed); }
  // Serves a client whose region is in the table; removes it there when the client goes.
  void Adopt(std::shared_ptr<region::Region> region, endpoint::Descriptor socket);
  // Takes part in another worker's job if it has nothing to do.
  void TakePart(const std::shared_ptr<engine::JobShare>& share);
  // Serves what is submitted by now, until `deadline`; then it lets all clients go and ends.
  void BeginStop(absl::Time deadline);
  void Join();
  const Counters& counters() const { return counters_; }
  const engine::StripeProcessor& work() const { return processor_; }

 private:
  using Clock = std::chrono::steady_clock;

  void Notify();
  void Run();
  // What other threads have asked for.
  void TakeNotices();
  // One round over the active rings. False: there was nothing to do.
  bool ServeOnce();
  bool TakeRecords();
  // While there is nothing to do: false once it should sleep.
  bool KeepsLooking();
  void Sleep();
  // Takes what epoll has, waiting up to `timeout_ms` for it.
  void Poll(int timeout_ms);
  void Handle(int fd, uint32_t events);
  void Activate(Ring& ring);
  // Lets rings sleep that have had nothing for a while, though others have.
  void RetireIdle();
  void Drop(Ring& ring);
  void DropBroken(Ring& ring, const absl::Status& reason);
  bool StopIsDone();

  struct Active {
    Ring* ring;
    Clock::time_point last_work;
  };

  const size_t id_;
  const engine::WorkerPlan::Worker place_;
  const Shared& shared_;
  const std::chrono::nanoseconds spin_;
  Counters counters_;
  std::atomic<size_t> ring_count_{0};
  std::atomic<bool> notified_{false};
  std::atomic<bool> idle_{false};  // could take part in another's job
  endpoint::Descriptor epoll_;
  endpoint::Descriptor wake_;

  struct Newcomer {
    std::shared_ptr<region::Region> region;
    endpoint::Descriptor socket;
  };
  std::mutex mutex_;  // of the next four
  std::vector<Newcomer> newcomers_;
  std::vector<std::shared_ptr<engine::JobShare>> offered_;
  bool stop_asked_ = false;
  absl::Time stop_deadline_;

  // The thread's own.
  engine::StripeProcessor processor_;
  std::unordered_map<int, std::unique_ptr<Ring>> rings_;  // by socket
  std::vector<Active> active_;                            // those that may have records
  std::vector<std::unique_ptr<Ring>> leaving_;            // closed, with requests under way
  Clock::time_point idle_since_;
  Clock::time_point last_look_;
  Clock::time_point last_yield_;
  Clock::time_point crowded_until_;  // others want its CPU
  bool was_idle_ = false;
  uint32_t rounds_ = 0;
  Clock::time_point next_drop_line_;
  uint64_t unlogged_drops_ = 0;
  bool stopping_ = false;

  std::thread thread_;
};

}  // namespace parity::rings

#endif  // PARITY_RINGS_RING_WORKER_H_
