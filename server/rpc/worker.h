// One worker: a gRPC server, its completion queue and the pinned thread that does everything on it.
#ifndef PARITY_RPC_WORKER_H_
#define PARITY_RPC_WORKER_H_

#include <atomic>
#include <cstddef>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client_rule.h"
#include "connection.h"
#include "counters.h"
#include "failure_log.h"
#include "grpcpp/alarm.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/resource_quota.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "health.h"
#include "parity/engine/byte_budget.h"
#include "parity/engine/job_share.h"
#include "parity/engine/node_crew.h"
#include "parity/engine/stripe_processor.h"
#include "parity/engine/worker_plan.h"
#include "parity/kernels/kernel_table.h"
#include "parity/log/line_limit.h"
#include "parity/region/region_table.h"
#include "parity/rpc/limits.h"
#include "stripe_methods.h"
#include "tag.h"

namespace parity::rpc {

class Worker;

// By node.
using NodeCrews = std::map<uint32_t, engine::NodeCrew<Worker>>;

class Worker {
 public:
  // What all workers have in common.
  struct Shared {
    const kernels::KernelTable& table;
    Limits limits;
    std::string info;                    // the serialised GetServerInfoResponse
    std::function<std::string()> stats;  // makes the GetServerStatsResponse; thread-safe
    std::shared_ptr<engine::ByteBudget> budget;
    std::unique_ptr<const grpc::ResourceQuota> quota;
    std::shared_ptr<grpc::ServerCredentials> tls;        // of TCP connections; null: not encrypted
    std::shared_ptr<const region::RegionTable> regions;  // null: no request may name one
    ClientRule client_rule;                              // who may call over TLS
    bool reflection;
    std::shared_ptr<log::LineLimit> failure_lines =
        std::make_shared<log::LineLimit>(kFailureLinesPerSecond);
  };

  // `shared` and `crews`, in which that of its own node is, must outlive it. The crews are complete
  // when it starts.
  Worker(size_t id, engine::WorkerPlan::Worker place, const Shared& shared, NodeCrews& crews);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Starts the server and the thread. INTERNAL if gRPC refuses.
  absl::Status Start();

  // Takes over a connected socket, which it closes when the connection ends. Thread-safe.
  void Adopt(int listener_fd, int fd, bool is_unix);

  // Takes part in another worker's job if it has nothing to do. Thread-safe.
  void TakePart(const std::shared_ptr<engine::JobShare>& share);

  // To stop, in this order, from any thread. The first may be left out.
  // From now on NOT_SERVING, while calls are served as before.
  void AnnounceStop();
  // From now on NOT_SERVING, and a call that comes in is refused with UNAVAILABLE.
  void BeginDrain();
  // False if calls accepted before are still unanswered at `deadline`.
  bool AwaitAnswers(absl::Time deadline);
  // Cancels what is left and ends the thread.
  // REQUIRES: the connections are closed; a peer that does not read would hold it up.
  void Shutdown();

  // For the calls, on the worker's thread.
  grpc::ServerCompletionQueue* queue() { return queue_.get(); }
  engine::StripeProcessor& processor() { return processor_; }
  bool draining() const { return draining_; }
  void CallBegins() { ++calls_; }
  void CallEnds() { --calls_; }
  void CallAccepted() { SetUnanswered(unanswered_ + 1); }
  void CallAnswered() { SetUnanswered(unanswered_ - 1); }
  const Limits& limits() const { return shared_.limits; }
  log::LineLimit& failure_lines() { return *shared_.failure_lines; }
  const engine::ByteBudget& budget() const { return *shared_.budget; }
  // The workers of a node; null if there are none.
  engine::Crew* CrewOf(uint32_t node) const;
  const region::RegionTable* regions() const { return shared_.regions.get(); }  // may be null
  ConnectionTable& connections() { return connections_; }
  // Between the two, it is looked whether the caller's peer takes its answers.
  void CallerEnters(StripeCaller& caller) { callers_.insert(&caller); }
  void CallerLeaves(StripeCaller& caller) { callers_.erase(&caller); }
  void FlushAfterTurn(ProcessStream& stream) { to_flush_.push_back(&stream); }

  // Thread-safe.
  const engine::WorkerPlan::Worker& place() const { return place_; }
  const Counters& counters() const { return counters_; }
  // The worker's thread only.
  Counters& counters() { return counters_; }
  const engine::StripeProcessor& work() const { return processor_; }

 private:
  void Run();
  bool NextEvent(void** tag, bool* ok);
  bool NextEventNow(void** tag, bool* ok);
  // Runs the tag on the worker's thread, soon.
  void Post(grpc::Alarm& alarm, Tag* tag);
  // Once every stall timeout, if there is one.
  void ScheduleLook();
  void LookForStalls(bool ok);
  // What other workers have offered.
  void TakeOffers(bool ok);
  void Announce(bool ok);
  void Drain(bool ok);
  void SetUnanswered(size_t calls) {
    unanswered_ = calls;
    counters_.unanswered_calls.store(calls, std::memory_order_relaxed);
  }
  void End(bool ok);

  const size_t id_;
  const engine::WorkerPlan::Worker place_;
  const Shared& shared_;
  NodeCrews& crews_;
  Counters counters_;

  // Set by Start, then used by any thread.
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> tls_acceptor_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::unique_ptr<StripeMethods> methods_;
  std::unique_ptr<Health> health_;
  std::unique_ptr<grpc::Server> server_;
  MemberTag<Worker> announce_tag_{this, &Worker::Announce};
  MemberTag<Worker> drain_tag_{this, &Worker::Drain};
  MemberTag<Worker> end_tag_{this, &Worker::End};
  MemberTag<Worker> look_tag_{this, &Worker::LookForStalls};
  MemberTag<Worker> offer_tag_{this, &Worker::TakeOffers};
  grpc::Alarm announce_alarm_;
  grpc::Alarm drain_alarm_;
  grpc::Alarm end_alarm_;
  grpc::Alarm look_alarm_;
  std::promise<void> started_;
  std::promise<void> all_answered_;
  std::atomic<bool> waiting_{false};  // for events

  std::mutex mutex_;  // of the next four
  std::vector<std::shared_ptr<engine::JobShare>> offered_;
  grpc::Alarm offer_alarm_;
  bool offer_is_posted_ = false;
  bool queue_is_shut_down_ = false;

  // The worker's thread only.
  engine::StripeProcessor processor_;
  ConnectionTable connections_;
  absl::flat_hash_set<StripeCaller*> callers_;
  std::vector<ProcessStream*> to_flush_;
  size_t calls_ = 0;       // objects that wait for a call or serve one
  size_t unanswered_ = 0;  // accepted calls whose answer is not yet with the kernel
  bool draining_ = false;
  bool answered_all_ = false;
  bool ending_ = false;

  std::thread thread_;
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_WORKER_H_
