// What a connection does over gRPC.
#ifndef PARITY_CLIENT_GRPC_CODER_H_
#define PARITY_CLIENT_GRPC_CODER_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "grpc_channel.h"
#include "grpcpp/support/byte_buffer.h"
#include "loans.h"
#include "parity/client/connection.h"
#include "parity/endpoint/endpoint.h"
#include "parity/wire/message_writer.h"

namespace parity::client {

// Thread-safe.
class GrpcCoder {
 public:
  GrpcCoder(endpoint::Endpoint server, const ConnectionOptions& options);

  // One attempt: all of the request or, after an error, nothing. REQUIRES: CheckRequest(request).
  absl::Status Run(const Request& request, const CallOptions& options);
  absl::StatusOr<ServerInfo> GetServerInfo(const CallOptions& options);
  absl::Time Tick(absl::Time now);
  uint64_t max_request_bytes() const { return max_request_bytes_; }

 private:
  // The channel, made anew if there is none or it is lost.
  absl::StatusOr<std::shared_ptr<GrpcChannel>> Connect(const CallOptions& options);
  // Forgets the channel, so that the next call makes a new one.
  void Drop(const GrpcChannel& channel);
  // Sends what the writer holds and waits for the response, and then until gRPC has let go of the
  // loans.
  absl::Status Call(absl::string_view method, wire::MessageWriter& writer, Loans& loans,
                    grpc::ByteBuffer& response, const CallOptions& options);
  // Finds out what the server takes, if it has refused a message as too large.
  void LearnLimit(const absl::Status& refusal, const CallOptions& options);
  // An error that names no field is about the connection or the server: says which one.
  absl::Status WithPlace(const absl::Status& status, absl::Duration after) const;

  const endpoint::Endpoint endpoint_;
  const absl::Duration keepalive_;
  const TlsOptions tls_;
  const uint64_t checksum_from_bytes_;
  std::atomic<uint64_t> max_request_bytes_;
  std::mutex mutex_;  // of all below
  std::condition_variable connected_;
  bool connecting_ = false;
  std::shared_ptr<GrpcChannel> channel_;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_GRPC_CODER_H_
