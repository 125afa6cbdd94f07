// parity.v1 on a worker: its methods, and the streams that are open.
#ifndef PARITY_RPC_STRIPE_METHODS_H_
#define PARITY_RPC_STRIPE_METHODS_H_

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "grpcpp/server_builder.h"
#include "parity/engine/stripe_job.h"
#include "parity/v1/parity.grpc.pb.h"
#include "process_stream.h"
#include "unary_call.h"

namespace parity::rpc {

class Worker;

// Belongs to one worker. Requests stay the byte buffers that gRPC read.
class StripeMethods {
 public:
  // `info` is the serialised GetServerInfoResponse, `stats` makes the GetServerStatsResponse.
  StripeMethods(Worker& worker, std::string info, std::function<std::string()> stats);

  void RegisterOn(grpc::ServerBuilder& builder) { builder.RegisterService(&service_); }

  // Asks for the first calls of each method.
  void AskForCalls();

  // Ends the streams, once what was read from them is answered.
  void StopStreams();

  // For the streams.
  void RequestProcess(grpc::ServerContext* context, ProcessStream::Stream* stream, Tag* tag);
  void StreamBegins(ProcessStream& stream) { streams_.insert(&stream); }
  void StreamEnds(ProcessStream& stream) { streams_.erase(&stream); }

 private:
  template <class Base>
  using RawStripes =
      v1::ParityService::WithRawMethod_Encode<v1::ParityService::WithRawMethod_Reconstruct<
          v1::ParityService::WithRawMethod_Verify<v1::ParityService::WithRawMethod_Update<
              v1::ParityService::WithRawMethod_Process<Base>>>>>;
  template <class Base>
  using RawDescriptions = v1::ParityService::WithRawMethod_GetServerInfo<
      v1::ParityService::WithRawMethod_GetServerStats<Base>>;
  using Service = RawStripes<RawDescriptions<v1::ParityService::Service>>;
  using RequestFunction = void (Service::*)(grpc::ServerContext*, grpc::ByteBuffer*, UnaryWriter*,
                                            grpc::CompletionQueue*, grpc::ServerCompletionQueue*,
                                            void*);

  UnaryMethod Method(const char* name, RequestFunction request,
                     std::function<void(UnaryCall&)> serve);
  UnaryMethod Stripes(RequestFunction request, engine::Operation operation);

  Worker& worker_;
  Service service_;
  const std::vector<UnaryMethod> methods_;
  std::set<ProcessStream*> streams_;
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_STRIPE_METHODS_H_
