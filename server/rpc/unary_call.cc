#include "unary_call.h"

#include <utility>

#include "parity/wire/status.h"
#include "worker.h"

namespace parity::rpc {

void UnaryCall::Ask(Worker& worker, const UnaryMethod& method) {
  auto* call = new UnaryCall(worker, method);
  method.request(&call->context_, &call->request_, &call->writer_, call);
}

UnaryCall::UnaryCall(Worker& worker, const UnaryMethod& method)
    : worker_(worker), method_(method), writer_(&context_) {
  worker_.CallBegins();
}

UnaryCall::~UnaryCall() { worker_.CallEnds(); }

void UnaryCall::Complete(bool ok) {
  if (state_ == State::kAsked && ok) {
    Arrived();
    return;
  }
  if (state_ == State::kAccepted) worker_.CallAnswered();
  delete this;  // answered, or the server shut down before a call came
}

void UnaryCall::Arrived() {
  Ask(worker_, method_);
  if (worker_.draining()) {
    state_ = State::kRefused;
    writer_.FinishWithError(wire::ToGrpc(absl::UnavailableError("the server is stopping")), this);
    return;
  }
  state_ = State::kAccepted;
  worker_.CallAccepted();
  absl::StatusOr<Respond> respond = method_.plan(request_);
  request_.Clear();
  if (!respond.ok()) {
    writer_.FinishWithError(wire::ToGrpc(respond.status()), this);
    return;
  }
  respond_ = *std::move(respond);
  worker_.AnswerAfterRun(this);
}

void UnaryCall::Answer() {
  absl::StatusOr<grpc::ByteBuffer> response = respond_();
  respond_ = nullptr;
  if (response.ok()) {
    writer_.Finish(*response, grpc::Status::OK, this);
  } else {
    writer_.FinishWithError(wire::ToGrpc(response.status()), this);
  }
}

}  // namespace parity::rpc
