// One gRPC connection to a server, tuned.
#ifndef PARITY_SERVER_BENCH_GRPC_CONNECTION_H_
#define PARITY_SERVER_BENCH_GRPC_CONNECTION_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "grpcpp/channel.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/status.h"
#include "parity/endpoint/endpoint.h"

namespace parity::bench {

// Thread-safe, as its stub is. Never connects again: when it is lost, its calls are UNAVAILABLE.
class GrpcConnection {
 public:
  // UNAVAILABLE, naming the endpoint, if nobody accepts.
  static absl::StatusOr<std::shared_ptr<GrpcConnection>> Open(const endpoint::Endpoint& endpoint);

  grpc::GenericStub& stub() { return stub_; }

 private:
  explicit GrpcConnection(const std::shared_ptr<grpc::ChannelInterface>& channel)
      : stub_(channel) {}

  grpc::GenericStub stub_;
};

// "/parity.v1.ParityService/Encode"
std::string PathOf(absl::string_view method);

// Calls a method and waits for its answer: for what is not measured.
absl::StatusOr<grpc::ByteBuffer> CallAndWait(GrpcConnection& connection, absl::string_view method,
                                             const grpc::ByteBuffer& request);

// What a call ended with, as an error of the bench that names the method.
absl::Status CallFailed(absl::string_view method, const grpc::Status& status);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_GRPC_CONNECTION_H_
