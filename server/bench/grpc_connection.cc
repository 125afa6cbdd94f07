#include "grpc_connection.h"

#include <fcntl.h>

#include "absl/strings/str_cat.h"
#include "connect.h"
#include "grpcpp/client_context.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/create_channel_posix.h"
#include "grpcpp/support/async_unary_call.h"
#include "grpcpp/support/channel_arguments.h"

namespace parity::bench {
namespace {

// As in server/rpc/worker.cc.
constexpr int kReadChunkBytes = 256 << 10;
constexpr int kMaxReadChunkBytes = 1 << 20;

}  // namespace

absl::StatusOr<std::shared_ptr<GrpcConnection>> GrpcConnection::Open(
    const endpoint::Endpoint& endpoint) {
  const absl::StatusOr<int> descriptor = Connect(endpoint);
  if (!descriptor.ok()) return descriptor.status();
  fcntl(*descriptor, F_SETFL, fcntl(*descriptor, F_GETFL) | O_NONBLOCK);
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_ENABLE_CHANNELZ, 0);
  arguments.SetInt(GRPC_ARG_TCP_READ_CHUNK_SIZE, kReadChunkBytes);
  arguments.SetInt(GRPC_ARG_TCP_MIN_READ_CHUNK_SIZE, kReadChunkBytes);
  arguments.SetInt(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, kMaxReadChunkBytes);
  return std::shared_ptr<GrpcConnection>(new GrpcConnection(
      grpc::CreateCustomInsecureChannelFromFd("parityd", *descriptor, arguments)));
}

std::string PathOf(absl::string_view method) {
  return absl::StrCat("/parity.v1.ParityService/", method);
}

absl::StatusOr<grpc::ByteBuffer> CallAndWait(GrpcConnection& connection, absl::string_view method,
                                             const grpc::ByteBuffer& request) {
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  const auto call = connection.stub().PrepareUnaryCall(&context, PathOf(method), request, &queue);
  grpc::ByteBuffer response;
  grpc::Status status;
  call->StartCall();
  call->Finish(&response, &status, &status);
  void* tag;
  bool ok;
  queue.Next(&tag, &ok);
  queue.Shutdown();
  queue.Next(&tag, &ok);  // says that nothing is left
  if (!status.ok()) return CallFailed(method, status);
  return response;
}

absl::Status CallFailed(absl::string_view method, const grpc::Status& status) {
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  const std::string& message = status.error_message();
  return absl::Status(code, absl::StrCat(method, ": ", absl::StatusCodeToString(code),
                                         message.empty() ? "" : ": ", message));
}

}  // namespace parity::bench
