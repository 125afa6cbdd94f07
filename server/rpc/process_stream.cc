#include "process_stream.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "call_status.h"
#include "failure_log.h"
#include "parity/codec/field_error.h"
#include "parity/stats/snapshot.h"
#include "parity/v1/parity.pb.h"
#include "parity/wire/process_message.h"
#include "parity/wire/status.h"
#include "stripe_methods.h"
#include "worker.h"

namespace parity::rpc {
namespace {

using engine::Operation;

std::optional<Operation> OperationOf(int field) {
  switch (field) {
    case v1::ProcessRequest::kEncodeFieldNumber:
      return Operation::kEncode;
    case v1::ProcessRequest::kReconstructFieldNumber:
      return Operation::kReconstruct;
    case v1::ProcessRequest::kVerifyFieldNumber:
      return Operation::kVerify;
    case v1::ProcessRequest::kUpdateFieldNumber:
      return Operation::kUpdate;
    default:
      return std::nullopt;
  }
}

int FieldOf(Operation operation) {
  switch (operation) {
    case Operation::kEncode:
      return v1::ProcessResponse::kEncodeFieldNumber;
    case Operation::kReconstruct:
      return v1::ProcessResponse::kReconstructFieldNumber;
    case Operation::kVerify:
      return v1::ProcessResponse::kVerifyFieldNumber;
    case Operation::kUpdate:
      return v1::ProcessResponse::kUpdateFieldNumber;
  }
  return 0;
}

}  // namespace

void ProcessStream::Ask(Worker& worker, StripeMethods& methods) {
  auto* stream = new ProcessStream(worker, methods);
  stream->context_.AsyncNotifyWhenDone(&stream->ended_tag_);
  methods.RequestProcess(&stream->context_, &stream->stream_, &stream->arrived_tag_);
}

ProcessStream::ProcessStream(Worker& worker, StripeMethods& methods)
    : worker_(worker), methods_(methods), stream_(&context_) {
  worker_.CallBegins();
}

ProcessStream::~ProcessStream() {
  if (connection_ != nullptr) {
    methods_.StreamEnds(*this);
    worker_.CallerLeaves(*this);
    worker_.connections().Leave(*connection_);
  }
  worker_.CallEnds();
}

void ProcessStream::Arrived(bool ok) {
  if (!ok) {  // the server shut down before a stream came: no end will be reported
    delete this;
    return;
  }
  Ask(worker_, methods_);
  worker_.CallAccepted();
  connection_ = &worker_.connections().Enter(context_);
  methods_.StreamBegins(*this);
  worker_.CallerEnters(*this);
  if (worker_.draining()) {
    Stop();
  } else if (!connection_->allowed().ok()) {
    read_all_ = true;
    outcome_ = connection_->allowed();
    FinishIfDone();
  } else {
    Read();
  }
}

void ProcessStream::Stop() {
  if (read_all_) return;
  read_all_ = true;
  outcome_ = absl::UnavailableError("the server is stopping");
  FinishIfDone();
}

void ProcessStream::Read() {
  if (reading_ || read_all_ || unanswered() >= worker_.limits().max_requests_per_stream) return;
  reading_ = true;
  stream_.Read(&request_, &received_tag_);
}

void ProcessStream::Received(bool ok) {
  reading_ = false;
  if (!ok) read_all_ = true;  // the client has closed its side, or is gone
  if (ok && !read_all_) Serve();
  request_.Clear();
  Read();
  FinishIfDone();
  DeleteIfOver();
}

void ProcessStream::Serve() {
  absl::StatusOr<wire::ProcessMessage> message = wire::ProcessMessage::Read(request_);
  if (!message.ok()) {
    read_all_ = true;
    outcome_ = message.status();
    return;
  }
  ++computing_;
  const std::optional<Operation> operation = OperationOf(message->field);
  if (!operation.has_value()) {
    worker_.counters().answers.Failed(Operation::kEncode, absl::StatusCode::kInvalidArgument);
    Answer(message->id, Operation::kEncode, codec::InvalidField("request", "none", "one"), {});
    return;
  }
  StripeCall::Serve(worker_, *connection_, *this, message->id, *operation,
                    {std::move(message->slices), message->bytes, message->begin, message->end});
}

absl::Status ProcessStream::Waiting() const {
  if (ended_ || broken_) return absl::CancelledError("the stream was cancelled");
  return CheckDeadline(context_);
}

void ProcessStream::LookForStall() {
  if (stall_watch_.Look(writing_)) context_.TryCancel();
}

void ProcessStream::Answer(uint64_t id, Operation operation,
                           absl::StatusOr<wire::MessageWriter> response,
                           engine::ByteBudget::Lease lease) {
  --computing_;
  if (!broken_) {
    wire::MessageWriter writer;
    writer.AddVarint(wire::kIdField, id);
    if (response.ok()) {
      writer.AddMessage(FieldOf(operation), *std::move(response));
    } else {
      LogFailure(worker_.failure_lines(), stats::kOperationNames[static_cast<size_t>(operation)],
                 response.status(), context_);
      writer.AddMessage(wire::kErrorField, wire::ToProto(response.status()));
    }
    answers_.emplace_back();
    grpc::ByteBuffer message = writer.Finish();
    answers_.back().message.Swap(&message);  // to copy it would take every slice again
    answers_.back().lease = std::move(lease);
  }
  // Answers of one turn are written together.
  if (!std::exchange(flushing_, true)) worker_.FlushAfterTurn(*this);
}

void ProcessStream::Flush() {
  flushing_ = false;
  Write();
}

void ProcessStream::Write() {
  if (!writing_ && !answers_.empty()) {
    writing_ = true;
    grpc::WriteOptions options;
    // What follows at once can share its way through the socket. Not for the first answer: the
    // initial metadata goes with it, which gRPC would keep back, and then never report it written.
    if (answers_.size() > 1 && has_written_) options.set_buffer_hint();
    has_written_ = true;
    stream_.Write(answers_.front().message, options, &written_tag_);
    writing_lease_ = std::move(answers_.front().lease);
    answers_.pop_front();
  }
  Read();
  FinishIfDone();
  DeleteIfOver();
}

void ProcessStream::Written(bool ok) {
  writing_ = false;
  writing_lease_ = {};
  stall_watch_.taken()->fetch_add(1, std::memory_order_relaxed);  // small answers have no pieces
  if (!ok) {
    broken_ = true;
    answers_.clear();
  }
  Write();
}

void ProcessStream::FinishIfDone() {
  if (finishing_ || !read_all_ || unanswered() > 0 || flushing_) return;
  finishing_ = true;
  if (!outcome_.ok()) LogFailure(worker_.failure_lines(), "process", outcome_, context_);
  ReturnTraceParent(context_);
  stream_.Finish(wire::ToGrpc(broken_ ? absl::CancelledError("") : outcome_), &finished_tag_);
}

void ProcessStream::Finished(bool) {
  finished_ = true;
  worker_.CallAnswered();
  DeleteIfOver();
}

void ProcessStream::Ended(bool) {
  ended_ = true;
  read_all_ = true;
  if (context_.IsCancelled()) {
    broken_ = true;
    answers_.clear();
  }
  FinishIfDone();
  DeleteIfOver();
}

void ProcessStream::DeleteIfOver() {
  if (finished_ && ended_ && !reading_) delete this;
}

}  // namespace parity::rpc
