#include "stripe_methods.h"

#include <utility>

#include "grpcpp/support/slice.h"
#include "parity/stats/snapshot.h"
#include "worker.h"

namespace parity::rpc {
namespace {

using engine::Operation;

// Calls that wait in gRPC for each method, so that a burst is taken without a round through the
// queue.
constexpr int kCallsAskedFor = 16;
constexpr int kStreamsAskedFor = 4;

grpc::ByteBuffer ToBuffer(const std::string& message) {
  const grpc::Slice slice(message);
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace

StripeMethods::StripeMethods(Worker& worker, std::string info, std::function<std::string()> stats)
    : worker_(worker),
      methods_{
          Stripes(&Service::RequestEncode, Operation::kEncode),
          Stripes(&Service::RequestReconstruct, Operation::kReconstruct),
          Stripes(&Service::RequestVerify, Operation::kVerify),
          Stripes(&Service::RequestUpdate, Operation::kUpdate),
          Method("info", &Service::RequestGetServerInfo,
                 [info = std::move(info)](UnaryCall& call) { call.Answer(ToBuffer(info)); }),
          Method("stats", &Service::RequestGetServerStats,
                 [stats = std::move(stats)](UnaryCall& call) { call.Answer(ToBuffer(stats())); })} {
}

UnaryMethod StripeMethods::Method(const char* name, RequestFunction request,
                                  std::function<void(UnaryCall&)> serve) {
  return {name, false,
          [this, request](grpc::ServerContext* context, grpc::ByteBuffer* buffer,
                          UnaryWriter* writer, Tag* tag) {
            (service_.*request)(context, buffer, writer, worker_.queue(), worker_.queue(), tag);
          },
          std::move(serve)};
}

UnaryMethod StripeMethods::Stripes(RequestFunction request, Operation operation) {
  return Method(stats::kOperationNames[static_cast<size_t>(operation)], request,
                [operation](UnaryCall& call) { call.ServeStripe(operation); });
}

void StripeMethods::RequestProcess(grpc::ServerContext* context, ProcessStream::Stream* stream,
                                   Tag* tag) {
  service_.RequestProcess(context, stream, worker_.queue(), worker_.queue(), tag);
}

void StripeMethods::AskForCalls() {
  for (const UnaryMethod& method : methods_) {
    for (int i = 0; i < kCallsAskedFor; ++i) UnaryCall::Ask(worker_, method);
  }
  for (int i = 0; i < kStreamsAskedFor; ++i) ProcessStream::Ask(worker_, *this);
}

void StripeMethods::StopStreams() {
  for (ProcessStream* stream : streams_) stream->Stop();
}

}  // namespace parity::rpc
