#include "worker.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel_settings.h"
#include "grpcpp/ext/proto_server_reflection_plugin.h"
#include "grpcpp/impl/server_builder_option.h"
#include "grpcpp/impl/server_builder_plugin.h"
#include "grpcpp/resource_quota.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server_context.h"
#include "parity/engine/buffer_pool.h"
#include "parity/engine/pinning.h"
#include "parity/engine/thread_placement.h"
#include "spdlog/spdlog.h"

namespace parity::rpc {
namespace {

// Free parity buffers that a worker keeps, of what may be held.
constexpr uint64_t kIdleBufferBytes = uint64_t{64} << 20;
constexpr uint64_t kIdleShareOfHeld = 16;

// Events taken from the queue before what they queued is computed and answered.
constexpr int kMaxDrainedEvents = 32;

// And bytes: more of them would drive the first ones out of the L2 cache before they are computed.
constexpr uint64_t kMaxDrainedBytes = 512 << 10;

// gRPC adds reflection to every server of a process that is linked with it.
class WithoutReflection final : public grpc::ServerBuilderOption {
 public:
  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    const auto is_reflection = [](const std::unique_ptr<grpc::ServerBuilderPlugin>& plugin) {
      return dynamic_cast<grpc::reflection::ProtoServerReflectionPlugin*>(plugin.get()) != nullptr;
    };
    plugins->erase(std::remove_if(plugins->begin(), plugins->end(), is_reflection), plugins->end());
  }
};

}  // namespace

Worker::Worker(size_t id, engine::WorkerPlan::Worker place, const Shared& shared, NodeCrews& crews)
    : id_(id),
      place_(place),
      shared_(shared),
      crews_(crews),
      processor_(shared.table,
                 engine::BufferPool::Make(
                     std::min(kIdleBufferBytes, shared.limits.max_held_bytes / kIdleShareOfHeld)),
                 &crews.at(place.node)),
      connections_(shared.budget, shared.client_rule) {}

Worker::~Worker() {
  if (thread_.joinable()) Shutdown();
}

engine::Crew* Worker::CrewOf(uint32_t node) const {
  const auto found = crews_.find(node);
  return found == crews_.end() ? nullptr : &found->second;
}

absl::Status Worker::Start() {
  methods_ = std::make_unique<StripeMethods>(*this, shared_.info, shared_.stats);
  health_ = std::make_unique<Health>(*this);
  grpc::ServerBuilder builder;
  acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
      grpc::InsecureServerCredentials());
  if (shared_.tls != nullptr) {
    tls_acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
        grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, shared_.tls);
  }
  ApplySettings(builder, shared_.limits);
  if (!shared_.reflection) builder.SetOption(std::make_unique<WithoutReflection>());
  // Reflection is a synchronous service, with a thread for each call under way.
  builder.SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::MIN_POLLERS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, 1);
  builder.SetResourceQuota(*shared_.quota);
  methods_->RegisterOn(builder);
  health_->RegisterOn(builder);
  queue_ = builder.AddCompletionQueue();
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) return absl::InternalError("gRPC did not start a server");
  thread_ = std::thread(&Worker::Run, this);
  started_.get_future().wait();
  return absl::OkStatus();
}

void Worker::Adopt(int listener_fd, int fd, bool is_unix) {
  grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
  connection.listener_fd = listener_fd;
  connection.fd = fd;
  const bool encrypted = tls_acceptor_ != nullptr && !is_unix;
  (encrypted ? tls_acceptor_ : acceptor_)->HandleNewConnection(&connection);
}

void Worker::TakePart(const std::shared_ptr<engine::JobShare>& share) {
  if (!waiting_.exchange(false)) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (queue_is_shut_down_) return;
  offered_.push_back(share);
  if (!std::exchange(offer_is_posted_, true)) Post(offer_alarm_, &offer_tag_);
}

void Worker::TakeOffers(bool) {
  std::vector<std::shared_ptr<engine::JobShare>> offers;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    offers.swap(offered_);
    offer_is_posted_ = false;
  }
  for (std::shared_ptr<engine::JobShare>& share : offers) processor_.Help(std::move(share));
}

void Worker::AnnounceStop() { Post(announce_alarm_, &announce_tag_); }

void Worker::BeginDrain() { Post(drain_alarm_, &drain_tag_); }

bool Worker::AwaitAnswers(absl::Time deadline) {
  return all_answered_.get_future().wait_until(absl::ToChronoTime(deadline)) ==
         std::future_status::ready;
}

void Worker::Shutdown() {
  server_->Shutdown(std::chrono::system_clock::now());
  Post(end_alarm_, &end_tag_);
  thread_.join();
}

void Worker::Post(grpc::Alarm& alarm, Tag* tag) {
  alarm.Set(queue_.get(), gpr_now(GPR_CLOCK_MONOTONIC), tag);
}

void Worker::Announce(bool) { health_->Stop(); }

void Worker::Drain(bool) {
  draining_ = true;
  health_->Stop();
  methods_->StopStreams();
}

void Worker::End(bool) {
  ending_ = true;
  look_alarm_.Cancel();  // the queue would wait for it
}

void Worker::ScheduleLook() {
  const absl::Duration timeout = shared_.limits.stall_timeout;
  if (timeout == absl::ZeroDuration()) return;
  look_alarm_.Set(queue_.get(), absl::ToChronoTime(absl::Now() + timeout), &look_tag_);
}

void Worker::LookForStalls(bool ok) {
  if (!ok || ending_) return;
  for (StripeCaller* caller : callers_) caller->LookForStall();
  ScheduleLook();
}

// While requests wait for their turn, it does not wait for others: `tag` is null if there are none.
bool Worker::NextEvent(void** tag, bool* ok) {
  if (processor_.idle()) {
    waiting_ = true;
    counters_.busy.IdleFrom(engine::BusyClock::Clock::now());
    const bool got = queue_->Next(tag, ok);
    counters_.busy.BusyFrom(engine::BusyClock::Clock::now());
    waiting_ = false;
    return got;
  }
  if (!NextEventNow(tag, ok)) *tag = nullptr;
  return true;
}

bool Worker::NextEventNow(void** tag, bool* ok) {
  return queue_->AsyncNext(tag, ok, gpr_time_0(GPR_CLOCK_MONOTONIC)) ==
         grpc::CompletionQueue::GOT_EVENT;
}

void Worker::Run() {
  counters_.busy.BusyFrom(engine::BusyClock::Clock::now());
  // First, as whatever the thread allocates before is not on its node.
  const engine::Placement placement = engine::PlaceThread(place_);
  for (const std::string& warning : engine::NewWarnings(placement)) spdlog::warn(warning);
  engine::NameThread(absl::StrCat("worker-", id_));
  ScheduleLook();
  methods_->AskForCalls();
  health_->AskForCalls();
  started_.set_value();

  void* tag;
  bool ok;
  while (NextEvent(&tag, &ok)) {
    int events = 0;
    while (tag != nullptr) {
      static_cast<Tag*>(tag)->Complete(ok);
      if (++events == kMaxDrainedEvents || processor_.new_bytes() >= kMaxDrainedBytes) break;
      if (!NextEventNow(&tag, &ok)) tag = nullptr;
    }
    processor_.RunTurn();
    for (ProcessStream* stream : to_flush_) stream->Flush();
    to_flush_.clear();
    if (draining_ && unanswered_ == 0 && !std::exchange(answered_all_, true)) {
      all_answered_.set_value();
    }
    // A call that is still there would answer on a queue that is shut down, which aborts.
    if (ending_ && calls_ == 0) {
      ending_ = false;
      const std::lock_guard<std::mutex> lock(mutex_);
      queue_is_shut_down_ = true;
      queue_->Shutdown();
    }
  }
}

}  // namespace parity::rpc
