#include "health.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "grpcpp/support/async_stream.h"
#include "parity/v1/parity.grpc.pb.h"
#include "parity/wire/status.h"
#include "tag.h"
#include "worker.h"

namespace parity::rpc {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

// One Watch stream. Owns itself: deleted when its stream has finished and gRPC has reported its
// end.
class HealthWatch {
 public:
  static void Ask(Health& health) {
    auto* watch = new HealthWatch(health);
    watch->context_.AsyncNotifyWhenDone(&watch->done_tag_);
    health.service_.RequestWatch(&watch->context_, &watch->request_, &watch->writer_,
                                 health.worker_.queue(), health.worker_.queue(),
                                 &watch->arrived_tag_);
  }

  // Sends the status if it is not what the client knows; ends the stream if the server stops.
  void Update() {
    if (writing_ || finishing_) return;
    const auto status = health_.StatusOf(request_.service());
    if (!sent_ || status != last_) {
      HealthCheckResponse response;
      response.set_status(status);
      last_ = status;
      sent_ = true;
      writing_ = true;
      writer_.Write(response, &written_tag_);
      return;
    }
    if (!health_.serving_) Finish(grpc::Status(grpc::StatusCode::UNAVAILABLE, "server stops"));
  }

 private:
  explicit HealthWatch(Health& health) : health_(health), writer_(&context_) {
    health_.worker_.CallBegins();
  }
  ~HealthWatch() {
    health_.watches_.erase(this);
    health_.worker_.CallEnds();
  }

  void Arrived(bool ok) {
    if (!ok) {  // the server shut down before a call came: no end will be reported
      delete this;
      return;
    }
    Ask(health_);
    health_.worker_.CallAccepted();
    health_.watches_.insert(this);
    Update();
  }

  void Written(bool ok) {
    writing_ = false;
    if (ok && !done_) {
      Update();
    } else {
      Finish(grpc::Status::CANCELLED);
    }
  }

  void Done(bool) {
    done_ = true;
    if (finished_) {
      delete this;
    } else if (!writing_) {
      Finish(grpc::Status::CANCELLED);
    }
  }

  void Finish(const grpc::Status& status) {
    if (finishing_) return;
    finishing_ = true;
    writer_.Finish(status, &finished_tag_);
  }

  void Finished(bool) {
    finished_ = true;
    health_.worker_.CallAnswered();
    if (done_) delete this;
  }

  Health& health_;
  MemberTag<HealthWatch> arrived_tag_{this, &HealthWatch::Arrived};
  MemberTag<HealthWatch> written_tag_{this, &HealthWatch::Written};
  MemberTag<HealthWatch> done_tag_{this, &HealthWatch::Done};
  MemberTag<HealthWatch> finished_tag_{this, &HealthWatch::Finished};
  grpc::ServerContext context_;
  HealthCheckRequest request_;
  grpc::ServerAsyncWriter<HealthCheckResponse> writer_;
  HealthCheckResponse::ServingStatus last_ = HealthCheckResponse::UNKNOWN;
  bool sent_ = false;
  bool writing_ = false;
  bool finishing_ = false;
  bool finished_ = false;
  bool done_ = false;
};

Health::Health(Worker& worker)
    : worker_(worker),
      check_{"health", true,
             [this](grpc::ServerContext* context, grpc::ByteBuffer* buffer, UnaryWriter* writer,
                    Tag* tag) {
               service_.RequestCheck(context, buffer, writer, worker_.queue(), worker_.queue(),
                                     tag);
             },
             [this](UnaryCall& call) { call.Answer(Check(call.request())); }} {}

void Health::AskForCalls() {
  UnaryCall::Ask(worker_, check_);
  HealthWatch::Ask(*this);
}

void Health::Stop() {
  serving_ = false;
  const std::set<HealthWatch*> watches = watches_;
  for (HealthWatch* watch : watches) watch->Update();
}

Health::Status Health::StatusOf(const std::string& service) const {
  if (!service.empty() && service != v1::ParityService::service_full_name()) {
    return HealthCheckResponse::SERVICE_UNKNOWN;
  }
  return serving_ ? HealthCheckResponse::SERVING : HealthCheckResponse::NOT_SERVING;
}

absl::StatusOr<grpc::ByteBuffer> Health::Check(const grpc::ByteBuffer& buffer) {
  HealthCheckRequest request;
  grpc::ByteBuffer copy(buffer);  // deserialising consumes a buffer
  if (!grpc::SerializationTraits<HealthCheckRequest>::Deserialize(&copy, &request).ok()) {
    return absl::InvalidArgumentError("the request is not a grpc.health.v1.HealthCheckRequest");
  }
  HealthCheckResponse response;
  response.set_status(StatusOf(request.service()));
  if (response.status() == HealthCheckResponse::SERVICE_UNKNOWN) {
    return absl::NotFoundError(absl::StrCat("no service \"", request.service(), "\" here"));
  }
  const grpc::Slice slice(response.SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace parity::rpc
