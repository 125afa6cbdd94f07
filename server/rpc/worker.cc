#include "worker.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel_settings.h"
#include "grpcpp/resource_quota.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server_context.h"
#include "parity/engine/buffer_pool.h"
#include "parity/engine/pinning.h"
#include "spdlog/spdlog.h"

namespace parity::rpc {
namespace {

// Free parity buffers that a worker keeps.
constexpr size_t kIdleBufferBytes = size_t{64} << 20;

// Events taken from the queue before what they queued is computed and answered.
constexpr int kMaxDrainedEvents = 32;

// For reflection; a call beyond them is refused with RESOURCE_EXHAUSTED.
constexpr int kMaxReflectionThreads = 4;

}  // namespace

Worker::Worker(size_t id, engine::WorkerPlan::Worker place, const kernels::KernelTable& table,
               std::string info, const Limits& limits, std::shared_ptr<grpc::ServerCredentials> tls)
    : id_(id),
      place_(place),
      table_(table),
      info_(std::move(info)),
      limits_(limits),
      tls_(std::move(tls)) {}

Worker::~Worker() {
  if (thread_.joinable()) Shutdown();
}

absl::Status Worker::Start() {
  methods_ = std::make_unique<StripeMethods>(*this, info_);
  health_ = std::make_unique<Health>(*this);
  grpc::ServerBuilder builder;
  acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
      grpc::InsecureServerCredentials());
  if (tls_ != nullptr) {
    tls_acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
        grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, tls_);
  }
  ApplySettings(builder, limits_);
  // Reflection is a synchronous service, with a thread for each call under way.
  builder.SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::MIN_POLLERS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, 1);
  grpc::ResourceQuota reflection("reflection");
  reflection.SetMaxThreads(kMaxReflectionThreads);
  builder.SetResourceQuota(reflection);
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

void Worker::Drain(bool) {
  draining_ = true;
  health_->Stop();
}

void Worker::End(bool) { ending_ = true; }

void Worker::Run() {
  engine::NameThread(absl::StrCat("worker-", id_));
  if (absl::Status pinned = engine::PinThread(place_.cpu); !pinned.ok()) {
    spdlog::warn("worker {} runs unpinned: {}", id_, pinned.ToString());
  }
  processor_ =
      std::make_unique<engine::StripeProcessor>(table_, engine::BufferPool::Make(kIdleBufferBytes));
  methods_->AskForCalls();
  health_->AskForCalls();
  started_.set_value();

  const gpr_timespec now = gpr_time_0(GPR_CLOCK_MONOTONIC);
  void* tag;
  bool ok;
  while (queue_->Next(&tag, &ok)) {
    int events = 0;
    do {
      static_cast<Tag*>(tag)->Complete(ok);
    } while (++events < kMaxDrainedEvents &&
             queue_->AsyncNext(&tag, &ok, now) == grpc::CompletionQueue::GOT_EVENT);
    processor_->Run();
    for (UnaryCall* call : planned_) call->Answer();
    planned_.clear();
    if (draining_ && unanswered_ == 0 && !std::exchange(answered_all_, true)) {
      all_answered_.set_value();
    }
    // A call that is still there would answer on a queue that is shut down, which aborts.
    if (ending_ && calls_ == 0) {
      ending_ = false;
      queue_->Shutdown();
    }
  }
}

}  // namespace parity::rpc
