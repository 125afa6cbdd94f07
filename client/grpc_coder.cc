#include "grpc_coder.h"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "grpcpp/grpcpp.h"
#include "parity/codec/field_error.h"
#include "parity/v1/parity.grpc.pb.h"
#include "parity/wire/limits.h"
#include "parity/wire/message_writer.h"
#include "parity/wire/status.h"
#include "parity/wire/stripe_message.h"

namespace parity::client {

// Counts the slices of caller's memory that gRPC still refers to.
class GrpcCoder::Loans {
 public:
  grpc::Slice Lend(ShardBytes bytes) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++open_;
    }
    // gRPC takes a mutable pointer but does not write to what it sends.
    return grpc::Slice(
        const_cast<uint8_t*>(bytes.data()), bytes.size(),
        [](void* loans) { static_cast<Loans*>(loans)->GiveBack(); }, this);
  }

  // False if some are still out after `patience`.
  bool AwaitAllBack(std::chrono::milliseconds patience) {
    std::unique_lock<std::mutex> lock(mutex_);
    return all_back_.wait_for(lock, patience, [this] { return open_ == 0; });
  }
  void AwaitAllBack() {
    std::unique_lock<std::mutex> lock(mutex_);
    all_back_.wait(lock, [this] { return open_ == 0; });
  }

 private:
  void GiveBack() {
    const std::lock_guard<std::mutex> lock(mutex_);
    --open_;
    all_back_.notify_all();  // under the lock: the loans may be gone once it is released
  }

  std::mutex mutex_;  // of the next two
  std::condition_variable all_back_;
  size_t open_ = 0;
};

namespace {

// How long after the deadline gRPC may go on with a call, and after the call refer to the request,
// before the connection is ended. Longer is needed only if the peer does not read.
constexpr std::chrono::milliseconds kGrace{100};

// How long to wait if gRPC, not the server itself, has refused a call for want of memory.
constexpr absl::Duration kPauseWithoutAdvice = absl::Milliseconds(20);

// A server may end a connection at any time (its age, its idle time, its restart), and a call that
// meets this is UNAVAILABLE through no fault of its own. Calls change nothing, so one may be sent
// again; once, not to multiply the load of a server that is in trouble.
constexpr int kAttempts = 2;

// Whether the shards are full and lie back to back, so that they can travel as one field.
bool ArePacked(absl::Span<const ShardBytes> shards, size_t shard_bytes) {
  for (size_t i = 0; i < shards.size(); ++i) {
    if (shards[i].size() != shard_bytes) return false;
    if (i > 0 && shards[i].data() != shards[i - 1].data() + shard_bytes) return false;
  }
  return true;
}

template <class Loans>
void AddShards(wire::MessageWriter& writer, absl::Span<const ShardBytes> shards, size_t shard_bytes,
               Loans& loans) {
  writer.AddVarint(wire::kShardBytesField, shard_bytes);
  if (ArePacked(shards, shard_bytes)) {
    const ShardBytes all(shards[0].data(), shards.size() * shard_bytes);
    writer.AddBytes(wire::kPackedShardsField, {loans.Lend(all)});
    return;
  }
  for (ShardBytes shard : shards) {
    if (shard.empty()) {
      writer.AddBytes(wire::kShardsField, {});
    } else {
      writer.AddBytes(wire::kShardsField, {loans.Lend(shard)});
    }
  }
}

// Copies the shards of a response to where the caller wants them. A response that is not what was
// asked for is an error, never data.
absl::Status CopyShards(const grpc::ByteBuffer& response, absl::Span<const uint32_t> indices,
                        size_t shard_bytes, absl::Span<uint8_t* const> out) {
  absl::StatusOr<wire::StripeMessage> message = wire::StripeMessage::Read(response);
  if (!message.ok()) {
    return absl::InternalError(absl::StrCat("response: ", message.status().message()));
  }
  if (message->shards().size() != out.size() || message->shard_bytes() != shard_bytes ||
      message->indices() != indices) {
    return absl::InternalError(absl::StrCat(
        "response: got ", message->shards().size(), " shards of ", message->shard_bytes(),
        " bytes, want ", out.size(), " of ", shard_bytes, ", with the indices asked for"));
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (codec::BytesIn(message->shards()[i]) != shard_bytes) {
      return absl::InternalError(absl::StrCat("response: shards[", i, "] is short"));
    }
  }
  for (size_t i = 0; i < out.size(); ++i) {
    uint8_t* to = out[i];
    for (codec::Segment segment : message->shards()[i]) {
      std::memcpy(to, segment.data, segment.bytes);
      to += segment.bytes;
    }
  }
  return absl::OkStatus();
}

// How long to wait before the call is tried again, if the server is overloaded: as it says, and up
// to half as long again, so that not all clients come back at once.
std::optional<absl::Duration> PauseAfter(const grpc::Status& status) {
  if (status.error_code() != grpc::StatusCode::RESOURCE_EXHAUSTED) return std::nullopt;
  const absl::Status details = wire::FromGrpc(status);
  if (codec::FieldOf(details).has_value()) return std::nullopt;  // too large: it always will be
  thread_local absl::BitGen random;
  return wire::RetryDelayOf(details).value_or(kPauseWithoutAdvice) *
         absl::Uniform(random, 1.0, 1.5);
}

bool Parse(grpc::ByteBuffer& buffer, google::protobuf::MessageLite& message) {
  grpc::ProtoBufferReader reader(&buffer);
  return reader.status().ok() && message.ParseFromZeroCopyStream(&reader);
}

grpc::Status CallOn(Connection& connection, absl::string_view method,
                    const grpc::ByteBuffer& request, grpc::ByteBuffer& response,
                    absl::Time deadline) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(deadline));
  Connection::Queue lent(connection);
  grpc::CompletionQueue& queue = *lent.get();
  const auto call = connection.stub().PrepareUnaryCall(
      &context, absl::StrCat("/", v1::ParityService::service_full_name(), "/", method), request,
      &queue);
  grpc::Status status;
  call->StartCall();
  call->Finish(&response, &status, &status);
  void* tag;
  bool ok;
  const bool in_time = queue.AsyncNext(&tag, &ok, absl::ToChronoTime(deadline) + kGrace) ==
                       grpc::CompletionQueue::GOT_EVENT;
  if (!in_time) {
    connection.Abort();
    queue.Next(&tag, &ok);
    status = grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED, "");
  }
  return status;
}

}  // namespace

absl::Status GrpcCoder::Encode(const codec::Geometry& geometry, absl::Span<const ShardBytes> data,
                               size_t shard_bytes, absl::Span<uint8_t* const> parity,
                               absl::Time deadline) {
  Loans loans;
  wire::MessageWriter writer;
  writer.AddMessage(wire::kGeometryField, wire::ToProto(geometry));
  AddShards(writer, data, shard_bytes, loans);
  grpc::ByteBuffer response;
  absl::Status status = Call("Encode", writer, loans, response, deadline);
  if (!status.ok()) return status;
  return CopyShards(response, {}, shard_bytes, parity);
}

absl::Status GrpcCoder::Reconstruct(const codec::Geometry& geometry,
                                    absl::Span<const uint32_t> present,
                                    absl::Span<const ShardBytes> shards, size_t shard_bytes,
                                    absl::Span<const uint32_t> wanted,
                                    absl::Span<uint8_t* const> out, absl::Time deadline) {
  Loans loans;
  wire::MessageWriter writer;
  writer.AddMessage(wire::kGeometryField, wire::ToProto(geometry));
  writer.AddPackedUint32(wire::kIndicesField, present);
  writer.AddPackedUint32(wire::kWantedField, wanted);
  AddShards(writer, shards, shard_bytes, loans);
  grpc::ByteBuffer response;
  absl::Status status = Call("Reconstruct", writer, loans, response, deadline);
  if (!status.ok()) return status;
  return CopyShards(response, wanted, shard_bytes, out);
}

absl::StatusOr<codec::VerifyReport> GrpcCoder::Verify(const codec::Geometry& geometry,
                                                      absl::Span<const ShardBytes> shards,
                                                      size_t shard_bytes, absl::Time deadline) {
  Loans loans;
  wire::MessageWriter writer;
  writer.AddMessage(wire::kGeometryField, wire::ToProto(geometry));
  AddShards(writer, shards, shard_bytes, loans);
  grpc::ByteBuffer buffer;
  const absl::Status status = Call("Verify", writer, loans, buffer, deadline);
  if (!status.ok()) return status;
  v1::VerifyResponse response;
  if (!Parse(buffer, response)) return absl::InternalError("response: not a VerifyResponse");
  codec::VerifyReport report;
  if (response.suspect() >= geometry.total_shards()) {
    return absl::InternalError(absl::StrCat("response: suspect: got ", response.suspect()));
  }
  for (const auto& mismatch : response.mismatches()) {
    const bool is_parity =
        mismatch.shard() >= geometry.data_shards() && mismatch.shard() < geometry.total_shards();
    if (!is_parity || mismatch.offset() >= shard_bytes) {
      return absl::InternalError(absl::StrCat("response: mismatch: got shard ", mismatch.shard(),
                                              ", offset ", mismatch.offset()));
    }
    report.mismatches.push_back({mismatch.shard(), mismatch.offset()});
  }
  if (response.has_suspect()) report.suspect = response.suspect();
  return report;
}

absl::Status GrpcCoder::Update(const codec::Geometry& geometry, absl::Span<const uint32_t> changed,
                               absl::Span<const ShardBytes> old_and_new, size_t shard_bytes,
                               absl::Span<uint8_t* const> parity, absl::Time deadline) {
  std::vector<ShardBytes> shards(old_and_new.begin(), old_and_new.end());
  for (const uint8_t* shard : parity) shards.emplace_back(shard, shard_bytes);
  Loans loans;
  wire::MessageWriter writer;
  writer.AddMessage(wire::kGeometryField, wire::ToProto(geometry));
  writer.AddPackedUint32(wire::kIndicesField, changed);
  AddShards(writer, shards, shard_bytes, loans);
  grpc::ByteBuffer response;
  absl::Status status = Call("Update", writer, loans, response, deadline);
  if (!status.ok()) return status;
  return CopyShards(response, {}, shard_bytes, parity);
}

absl::StatusOr<ServerInfo> GrpcCoder::GetServerInfo(absl::Time deadline) {
  Loans loans;
  wire::MessageWriter empty;
  grpc::ByteBuffer buffer;
  absl::Status status = Call("GetServerInfo", empty, loans, buffer, deadline);
  if (!status.ok()) return status;
  v1::GetServerInfoResponse response;
  if (!Parse(buffer, response)) {
    return absl::InternalError("response: not a GetServerInfoResponse");
  }
  ServerInfo info;
  info.version = response.version();
  info.revision = response.revision();
  info.kernels = response.kernels();
  info.usable_kernels.assign(response.usable_kernels().begin(), response.usable_kernels().end());
  for (const auto& worker : response.workers()) {
    info.workers.push_back({worker.cpu(), worker.node()});
  }
  for (const auto& node : response.nodes()) {
    info.nodes.push_back(
        {node.id(), node.memory_bytes(), {node.cpus().begin(), node.cpus().end()}});
  }
  const v1::GetServerInfoResponse::Limits& limits = response.limits();
  info.max_message_bytes = limits.max_message_bytes();
  info.max_shards = limits.max_shards();
  info.max_calls_per_connection = limits.max_calls_per_connection();
  info.max_requests_per_stream = limits.max_requests_per_stream();
  info.max_stripes_per_message = limits.max_stripes_per_message();
  info.max_held_bytes = limits.max_held_bytes();
  info.max_connections = limits.max_connections();
  info.stall_timeout = absl::Milliseconds(limits.stall_timeout_ms());
  info.max_connection_idle = absl::Milliseconds(limits.max_connection_idle_ms());
  info.max_connection_age = absl::Milliseconds(limits.max_connection_age_ms());
  info.keepalive = absl::Milliseconds(limits.keepalive_ms());
  info.min_ping_interval = absl::Milliseconds(limits.min_ping_interval_ms());
  info.max_regions = limits.max_regions();
  info.max_region_bytes = limits.max_region_bytes();
  info.max_regions_bytes = limits.max_regions_bytes();
  info.shm_spin = absl::Microseconds(limits.shm_spin_us());
  info.addresses.assign(response.addresses().begin(), response.addresses().end());
  return info;
}

absl::StatusOr<std::shared_ptr<Connection>> GrpcCoder::Connect(absl::Time deadline,
                                                               const Connection* failed) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (connection_ == nullptr || connection_.get() == failed || connection_->is_lost()) {
    absl::StatusOr<std::shared_ptr<Connection>> opened =
        Connection::Open(endpoint_, keepalive_, deadline);
    if (!opened.ok()) return opened;
    connection_ = *std::move(opened);
  }
  return connection_;
}

absl::Status GrpcCoder::Call(absl::string_view method, wire::MessageWriter& writer, Loans& loans,
                             grpc::ByteBuffer& response, absl::Time deadline) {
  const uint64_t bytes = writer.bytes();
  grpc::ByteBuffer request = writer.Finish();
  if (bytes > wire::kMaxMessageBytes) {
    return codec::FieldError(
        absl::StatusCode::kResourceExhausted, "message", absl::StrCat(bytes, " bytes"),
        absl::StrCat("at most ", wire::kMaxMessageBytes, ": send the stripe as slices"));
  }
  std::vector<std::shared_ptr<Connection>> used;
  const Connection* failed = nullptr;
  grpc::Status status;
  for (int attempt = 0; attempt < kAttempts;) {
    absl::StatusOr<std::shared_ptr<Connection>> connection = Connect(deadline, failed);
    if (!connection.ok()) {
      if (used.empty()) return connection.status();
      break;  // what the server said before tells more
    }
    if (used.empty() || used.back() != *connection) used.push_back(*std::move(connection));
    status = CallOn(*used.back(), method, request, response, deadline);
    if (const std::optional<absl::Duration> pause = PauseAfter(status);
        pause.has_value() && absl::Now() + *pause < deadline) {
      absl::SleepFor(*pause);
      continue;
    }
    if (status.error_code() != grpc::StatusCode::UNAVAILABLE) break;
    failed = used.back().get();
    ++attempt;
  }
  request.Clear();
  if (!loans.AwaitAllBack(kGrace)) {
    for (const auto& connection : used) connection->Abort();
    loans.AwaitAllBack();
  }
  return WithPlace(wire::FromGrpc(status));
}

absl::Status GrpcCoder::WithPlace(const absl::Status& status) const {
  if (status.ok() || codec::FieldOf(status).has_value()) return status;
  const std::string message =
      absl::IsDeadlineExceeded(status)
          ? absl::StrCat("no answer within ", absl::FormatDuration(deadline_))
          : std::string(status.message());
  return absl::Status(status.code(), absl::StrCat(endpoint_.ToString(), ": ", message));
}

}  // namespace parity::client
