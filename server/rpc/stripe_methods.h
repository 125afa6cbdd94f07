// parity.v1 on a worker: what each method reads, queues and answers.
#ifndef PARITY_RPC_STRIPE_METHODS_H_
#define PARITY_RPC_STRIPE_METHODS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/server_builder.h"
#include "grpcpp/support/byte_buffer.h"
#include "parity/v1/parity.grpc.pb.h"
#include "unary_call.h"

namespace parity::rpc {

// Belongs to one worker. Requests stay the byte buffers that gRPC read.
class StripeMethods {
 public:
  // `info` is the serialised GetServerInfoResponse.
  StripeMethods(Worker& worker, std::string info);

  void RegisterOn(grpc::ServerBuilder& builder) { builder.RegisterService(&service_); }

  // Asks for the first calls of each method.
  void AskForCalls();

 private:
  using Service = v1::ParityService::WithRawMethod_Encode<
      v1::ParityService::WithRawMethod_Reconstruct<v1::ParityService::WithRawMethod_Verify<
          v1::ParityService::WithRawMethod_GetServerInfo<v1::ParityService::Service>>>>;
  using RequestFunction = void (Service::*)(grpc::ServerContext*, grpc::ByteBuffer*, UnaryWriter*,
                                            grpc::CompletionQueue*, grpc::ServerCompletionQueue*,
                                            void*);
  using PlanFunction = absl::StatusOr<Respond> (StripeMethods::*)(const grpc::ByteBuffer&);

  UnaryMethod Method(RequestFunction request, PlanFunction plan);

  absl::StatusOr<Respond> Encode(const grpc::ByteBuffer& request);
  absl::StatusOr<Respond> Reconstruct(const grpc::ByteBuffer& request);
  absl::StatusOr<Respond> Verify(const grpc::ByteBuffer& request);
  absl::StatusOr<Respond> GetServerInfo(const grpc::ByteBuffer& request);

  Worker& worker_;
  const std::string info_;
  Service service_;
  const std::vector<UnaryMethod> methods_;
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_STRIPE_METHODS_H_
