#include "stream_load.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "encode_exchange.h"
#include "grpc_connection.h"
#include "grpcpp/client_context.h"
#include "grpcpp/completion_queue.h"
#include "parity_checker.h"

namespace parity::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kMethod[] = "Process";

// Requests of a burst, at least one if there is a rate.
uint64_t BurstOf(double requests_per_s) {
  if (requests_per_s <= 0) return 0;
  const double seconds = std::chrono::duration<double>(kBurstInterval).count();
  return std::max<uint64_t>(1, static_cast<uint64_t>(std::lround(requests_per_s * seconds)));
}

class StreamLoad final : public Load {
 public:
  StreamLoad(std::shared_ptr<GrpcConnection> connection, const Workload& workload,
             const StreamLoadOptions& options)
      : connection_(std::move(connection)),
        exchange_(workload.job),
        checker_(workload.job, *workload.table),
        cursor_(workload.sources, workload.job.source_bytes(), options.part, options.parts),
        burst_(BurstOf(options.requests_per_s)),
        slots_(static_cast<size_t>(options.depth)) {
    for (size_t slot = slots_.size(); slot > 0; --slot) free_.push_back(slot - 1);
  }

  absl::Status Run(const LoadControl& control, Meter& meter) override {
    stream_ = connection_->stub().PrepareCall(&context_, PathOf(kMethod), &queue_);
    stream_->StartCall(TagOf(kStarted));
    pending_ = 1;
    absl::Status result;
    bool finished = false;
    while (pending_ > 0 || !finished) {
      if (pending_ == 0) {  // nothing more comes
        stream_->Finish(&status_, TagOf(kFinished));
        pending_ = 1;
        finished = true;
      }
      stopping_ = stopping_ || control.stopping.load(std::memory_order_relaxed);
      if (result.ok()) Send();
      const Event event = NextEvent();
      if (event == kNone && is_open_loop()) continue;
      result.Update(event == kNone ? NoAnswer(kMethod) : Handle(event, control, meter));
      if (!result.ok()) context_.TryCancel();
    }
    queue_.Shutdown();
    void* tag;
    bool ok;
    queue_.Next(&tag, &ok);  // says that nothing is left
    result.Update(CallFailed(kMethod, status_));
    return result;
  }

 private:
  // Operations of the stream; their tags point to kTags.
  enum Event { kNone, kStarted, kWritten, kClosed, kRead, kFinished };
  static constexpr Event kTags[] = {kNone, kStarted, kWritten, kClosed, kRead, kFinished};

  struct Slot {
    bool is_free = true;
    uint64_t id = 0;
    const uint8_t* sources = nullptr;
    Clock::time_point start;
  };

  static void* TagOf(Event event) { return const_cast<Event*>(&kTags[event]); }

  bool is_open_loop() const { return burst_ > 0; }

  Event NextEvent() {
    void* tag = nullptr;
    // A time that is past: of the present one, gRPC makes up to a millisecond of waiting.
    const auto got =
        is_open_loop() ? queue_.AsyncNext(&tag, &ok_, gpr_time_0(GPR_CLOCK_MONOTONIC))
                       : queue_.AsyncNext(&tag, &ok_, std::chrono::system_clock::now() + kPatience);
    if (got != grpc::CompletionQueue::GOT_EVENT) return kNone;
    --pending_;
    return *static_cast<const Event*>(tag);
  }

  absl::Status Handle(Event event, const LoadControl& control, Meter& meter) {
    switch (event) {
      case kNone:
      case kClosed:
      case kFinished:
        return absl::OkStatus();
      case kStarted:
        if (!ok_) return absl::OkStatus();  // Finish says why
        can_write_ = true;
        due_ = Clock::now();
        Read();
        return absl::OkStatus();
      case kWritten:
        can_write_ = ok_;
        return absl::OkStatus();
      case kRead:
        if (!ok_) {  // the end of the stream
          can_write_ = false;
          return absl::OkStatus();
        }
        return Answered(control, meter);
    }
    return absl::OkStatus();
  }

  // Writes what is to be written next, if anything may be.
  void Send() {
    if (!can_write_) return;
    if (stopping_) {
      can_write_ = false;
      stream_->WritesDone(TagOf(kClosed));
      ++pending_;
      return;
    }
    if (free_.empty()) return;
    const Clock::time_point now = Clock::now();
    if (is_open_loop() && now < due_) return;
    const size_t index = free_.back();
    free_.pop_back();
    slots_[index] = {false, next_id_ + index, cursor_.Next(), is_open_loop() ? due_ : now};
    next_id_ += slots_.size();
    can_write_ = false;
    grpc::WriteOptions options;
    if (is_open_loop()) {
      if (++in_burst_ < burst_) {
        options.set_buffer_hint();  // the next one follows at once
      } else {
        in_burst_ = 0;
        due_ += kBurstInterval;
      }
    }
    stream_->Write(exchange_.StreamRequest(slots_[index].id, slots_[index].sources), options,
                   TagOf(kWritten));
    ++pending_;
  }

  void Read() {
    stream_->Read(&response_, TagOf(kRead));
    ++pending_;
  }

  absl::Status Answered(const LoadControl& control, Meter& meter) {
    grpc::ByteBuffer response;
    response.Swap(&response_);
    Read();
    absl::Status status = exchange_.ReadStream(response, answer_);
    if (!status.ok()) return status;
    const size_t index = answer_.id % slots_.size();
    Slot& slot = slots_[index];
    if (slot.is_free || slot.id != answer_.id) {
      return absl::DataLossError(
          absl::StrCat("answer: got id ", answer_.id, ", which is not outstanding"));
    }
    status = checker_.Check(answer_.parity, slot.sources);
    if (!status.ok()) return status;
    meter.answers.fetch_add(1, std::memory_order_relaxed);
    if (control.recording.load(std::memory_order_relaxed)) {
      meter.latencies.Record(static_cast<uint64_t>((Clock::now() - slot.start).count()));
    }
    slot.is_free = true;
    free_.push_back(index);
    return absl::OkStatus();
  }

  const std::shared_ptr<GrpcConnection> connection_;
  EncodeExchange exchange_;
  ParityChecker checker_;
  SourceCursor cursor_;
  const uint64_t burst_;  // requests of one burst of an open loop; else 0

  grpc::CompletionQueue queue_;
  grpc::ClientContext context_;
  grpc::Status status_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
  grpc::ByteBuffer response_;
  Answer answer_;

  // A request's id is the index of its slot, plus a multiple of their number.
  std::vector<Slot> slots_;
  std::vector<size_t> free_;
  uint64_t next_id_ = 0;
  Clock::time_point due_;  // when the current burst is meant to be sent
  uint64_t in_burst_ = 0;  // requests of it that have been sent
  size_t pending_ = 0;     // operations whose tags have not come
  bool ok_ = false;        // of the last event
  bool can_write_ = false;
  bool stopping_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Load>> OpenStreamLoad(const endpoint::Endpoint& server,
                                                     const Workload& workload,
                                                     const StreamLoadOptions& options) {
  absl::StatusOr<std::shared_ptr<GrpcConnection>> connection = GrpcConnection::Open(server);
  if (!connection.ok()) return connection.status();
  return std::make_unique<StreamLoad>(*std::move(connection), workload, options);
}

}  // namespace parity::bench
