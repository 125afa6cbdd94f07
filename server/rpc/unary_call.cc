#include "unary_call.h"

#include <chrono>
#include <utility>

#include "call_status.h"
#include "failure_log.h"
#include "parity/wire/slice_list.h"
#include "parity/wire/status.h"
#include "worker.h"

namespace parity::rpc {

void UnaryCall::Ask(Worker& worker, const UnaryMethod& method) {
  auto* call = new UnaryCall(worker, method);
  call->context_.AsyncNotifyWhenDone(&call->ended_tag_);
  method.request(&call->context_, &call->request_, &call->writer_, &call->arrived_tag_);
}

UnaryCall::UnaryCall(Worker& worker, const UnaryMethod& method)
    : worker_(worker), method_(method), writer_(&context_) {
  worker_.CallBegins();
}

UnaryCall::~UnaryCall() {
  if (connection_ != nullptr) {
    worker_.CallerLeaves(*this);
    worker_.connections().Leave(*connection_);
  }
  worker_.CallEnds();
}

void UnaryCall::Arrived(bool ok) {
  if (!ok) {  // the server shut down before a call came: no end will be reported
    delete this;
    return;
  }
  Ask(worker_, method_);
  worker_.CallAccepted();
  if (worker_.draining()) {
    Answer(absl::UnavailableError("the server is stopping"));
    return;
  }
  connection_ = &worker_.connections().Enter(context_);
  worker_.CallerEnters(*this);
  if (method_.for_everybody || connection_->allowed().ok()) {
    method_.serve(*this);
  } else {
    Answer(connection_->allowed());
  }
}

void UnaryCall::ServeStripe(engine::Operation operation) {
  const uint64_t bytes = request_.Length();
  absl::StatusOr<wire::SliceList> slices = wire::SliceList::Take(request_);
  if (!slices.ok()) {
    Answer(slices.status());
    return;
  }
  StripeCall::Serve(worker_, *connection_, *this, 0, operation,
                    {*std::move(slices), bytes, 0, bytes});
}

absl::Status UnaryCall::Waiting() const {
  if (ended_) return absl::CancelledError("the call was cancelled");
  return CheckDeadline(context_);
}

void UnaryCall::Answer(uint64_t, engine::Operation, absl::StatusOr<wire::MessageWriter> response,
                       engine::ByteBudget::Lease lease) {
  lease_ = std::move(lease);
  if (response.ok()) {
    Answer(response->Finish());
  } else {
    Answer(response.status());
  }
}

void UnaryCall::LookForStall() {
  if (stall_watch_.Look(answering_)) context_.TryCancel();
}

void UnaryCall::Answer(const absl::StatusOr<grpc::ByteBuffer>& response) {
  answering_ = true;
  request_.Clear();
  ReturnTraceParent(context_);
  if (response.ok()) {
    writer_.Finish(*response, grpc::Status::OK, &answered_tag_);
  } else {
    LogFailure(worker_.failure_lines(), method_.name, response.status(), context_);
    AddPushback(response.status(), context_);
    writer_.FinishWithError(wire::ToGrpc(response.status()), &answered_tag_);
  }
}

void UnaryCall::Answered(bool) {
  answered_ = true;
  worker_.CallAnswered();
  DeleteIfOver();
}

void UnaryCall::Ended(bool) {
  ended_ = true;
  DeleteIfOver();
}

void UnaryCall::DeleteIfOver() {
  if (answered_ && ended_) delete this;
}

}  // namespace parity::rpc
