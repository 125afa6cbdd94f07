// The calls of a RemoteCoder, over gRPC.
#ifndef PARITY_CLIENT_GRPC_CODER_H_
#define PARITY_CLIENT_GRPC_CODER_H_

#include <memory>
#include <mutex>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "connection.h"
#include "grpcpp/support/byte_buffer.h"
#include "parity/client/remote_coder.h"
#include "parity/endpoint/endpoint.h"
#include "parity/wire/message_writer.h"

namespace parity::client {

// Thread-safe. Its functions are those of RemoteCoder, with a deadline each. REQUIRES: there are as
// many shards and outputs as the geometry and the indices call for, not none, and none longer than
// shard_bytes.
class GrpcCoder {
 public:
  GrpcCoder(endpoint::Endpoint server, const RemoteOptions& options)
      : endpoint_(std::move(server)), deadline_(options.deadline), keepalive_(options.keepalive) {}

  absl::Status Encode(const codec::Geometry& geometry, absl::Span<const ShardBytes> data,
                      size_t shard_bytes, absl::Span<uint8_t* const> parity, absl::Time deadline);
  absl::Status Reconstruct(const codec::Geometry& geometry, absl::Span<const uint32_t> present,
                           absl::Span<const ShardBytes> shards, size_t shard_bytes,
                           absl::Span<const uint32_t> wanted, absl::Span<uint8_t* const> out,
                           absl::Time deadline);
  absl::StatusOr<codec::VerifyReport> Verify(const codec::Geometry& geometry,
                                             absl::Span<const ShardBytes> shards,
                                             size_t shard_bytes, absl::Time deadline);
  // The old contents of all changed shards, then the new ones.
  absl::Status Update(const codec::Geometry& geometry, absl::Span<const uint32_t> changed,
                      absl::Span<const ShardBytes> old_and_new, size_t shard_bytes,
                      absl::Span<uint8_t* const> parity, absl::Time deadline);
  absl::StatusOr<ServerInfo> GetServerInfo(absl::Time deadline);

 private:
  class Loans;

  // The connection, made anew if there is none, it is lost, or it is `failed`.
  absl::StatusOr<std::shared_ptr<Connection>> Connect(absl::Time deadline,
                                                      const Connection* failed);
  // Sends what the writer holds and waits for the response, and then until gRPC has let go of the
  // loans.
  absl::Status Call(absl::string_view method, wire::MessageWriter& writer, Loans& loans,
                    grpc::ByteBuffer& response, absl::Time deadline);
  // An error that names no field is about the connection or the server: says which one.
  absl::Status WithPlace(const absl::Status& status) const;

  const endpoint::Endpoint endpoint_;
  const absl::Duration deadline_;
  const absl::Duration keepalive_;
  std::mutex mutex_;  // of the connection
  std::shared_ptr<Connection> connection_;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_GRPC_CODER_H_
