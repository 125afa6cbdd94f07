// One unary call, from the moment it is asked for until its answer is sent.
#ifndef PARITY_RPC_UNARY_CALL_H_
#define PARITY_RPC_UNARY_CALL_H_

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "connection.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/async_unary_call.h"
#include "grpcpp/support/byte_buffer.h"
#include "stripe_call.h"
#include "tag.h"

namespace parity::rpc {

class Worker;
class UnaryCall;

using UnaryWriter = grpc::ServerAsyncResponseWriter<grpc::ByteBuffer>;

// A method: its name in the log, how to ask gRPC for its next call, and how to serve it. `serve`
// answers the call, at once or later.
struct UnaryMethod {
  const char* name;
  bool for_everybody;  // whom the rule about clients does not let call included
  std::function<void(grpc::ServerContext*, grpc::ByteBuffer*, UnaryWriter*, Tag*)> request;
  std::function<void(UnaryCall&)> serve;
};

// Owns itself: deleted when gRPC is done with it. Lives on its worker's thread.
class UnaryCall final : public StripeCaller {
 public:
  // Asks for one call of `method`, which must outlive the worker's queue.
  static void Ask(Worker& worker, const UnaryMethod& method);

  const grpc::ByteBuffer& request() const { return request_; }

  // Answers it, once.
  void Answer(const absl::StatusOr<grpc::ByteBuffer>& response);

  // Answers it with what the request for a stripe comes to.
  void ServeStripe(engine::Operation operation);
  absl::Status Waiting() const override;
  const TakenPieces& taken() const override { return stall_watch_.taken(); }
  void LookForStall() override;
  void Answer(uint64_t id, engine::Operation operation,
              absl::StatusOr<wire::MessageWriter> response,
              engine::ByteBudget::Lease lease) override;

 private:
  UnaryCall(Worker& worker, const UnaryMethod& method);
  ~UnaryCall() override;
  void Arrived(bool ok);
  void Answered(bool ok);
  void Ended(bool ok);
  void DeleteIfOver();

  Worker& worker_;
  const UnaryMethod& method_;
  MemberTag<UnaryCall> arrived_tag_{this, &UnaryCall::Arrived};
  MemberTag<UnaryCall> answered_tag_{this, &UnaryCall::Answered};
  MemberTag<UnaryCall> ended_tag_{this, &UnaryCall::Ended};
  StallWatch stall_watch_;
  engine::ByteBudget::Lease lease_;
  bool answering_ = false;
  bool answered_ = false;
  bool ended_ = false;  // by gRPC's account; before it is answered that means cancelled
  Connection* connection_ = nullptr;
  grpc::ServerContext context_;
  grpc::ByteBuffer request_;
  UnaryWriter writer_;
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_UNARY_CALL_H_
