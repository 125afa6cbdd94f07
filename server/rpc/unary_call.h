// One unary call, from the moment it is asked for until its answer is sent.
#ifndef PARITY_RPC_UNARY_CALL_H_
#define PARITY_RPC_UNARY_CALL_H_

#include <functional>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/async_unary_call.h"
#include "grpcpp/support/byte_buffer.h"
#include "tag.h"

namespace parity::rpc {

class Worker;

using UnaryWriter = grpc::ServerAsyncResponseWriter<grpc::ByteBuffer>;

// Builds the response, once the kernels have run.
using Respond = absl::AnyInvocable<absl::StatusOr<grpc::ByteBuffer>()>;

// A method: how to ask gRPC for its next call, and how to serve it. `plan` reads the request and
// queues kernel jobs on the worker's processor.
struct UnaryMethod {
  std::function<void(grpc::ServerContext*, grpc::ByteBuffer*, UnaryWriter*, Tag*)> request;
  std::function<absl::StatusOr<Respond>(const grpc::ByteBuffer&)> plan;
};

// Owns itself: deleted when gRPC is done with it. Lives on its worker's thread.
class UnaryCall final : public Tag {
 public:
  // Asks for one call of `method`, which must outlive the worker's queue.
  static void Ask(Worker& worker, const UnaryMethod& method);

  void Complete(bool ok) override;

  // Sends the answer; called after the kernels ran, for calls whose plan succeeded.
  void Answer();

 private:
  enum class State { kAsked, kAccepted, kRefused };

  UnaryCall(Worker& worker, const UnaryMethod& method);
  ~UnaryCall() override;
  void Arrived();

  Worker& worker_;
  const UnaryMethod& method_;
  State state_ = State::kAsked;
  grpc::ServerContext context_;
  grpc::ByteBuffer request_;
  UnaryWriter writer_;
  Respond respond_;
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_UNARY_CALL_H_
