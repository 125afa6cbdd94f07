#include "grpc_coder.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "grpcpp/grpcpp.h"
#include "parity/codec/field_error.h"
#include "parity/v1/parity.grpc.pb.h"
#include "parity/wire/limits.h"
#include "parity/wire/status.h"
#include "stripe_call.h"

namespace parity::client {
namespace {

// How long after the deadline gRPC may go on with a call, and after the call refer to the request,
// before the connection is ended. Longer is needed only if the peer does not read.
constexpr absl::Duration kGrace = absl::Milliseconds(100);

// What a message holds besides its shards, at most: a generator, indices, checksums, lengths.
constexpr uint64_t kMostBesideShards = 96 << 10;

// Of connections that are closed before there was an answer.
constexpr char kMaybeTls[] = ": before any answer; a server that expects TLS closes so, too";

// How often a call that can be cancelled looks whether it was.
constexpr absl::Duration kCancelInterval = absl::Milliseconds(50);

// Waits for the event of the call; ends the channel, to get it, if gRPC does not keep to the
// deadline or the cancellation.
grpc::Status AwaitEnd(grpc::CompletionQueue& queue, const CallOptions& options,
                      GrpcChannel& channel) {
  absl::Time give_up = options.deadline + kGrace;
  bool cancelled = false;
  void* tag;
  bool ok;
  for (;;) {
    absl::Time until = give_up;
    if (options.cancellation != nullptr) {
      const absl::Time now = absl::Now();
      if (!cancelled && options.cancellation->is_cancelled()) {
        cancelled = true;
        give_up = std::min(give_up, now + kGrace);
      }
      until = cancelled ? give_up : std::min(give_up, now + kCancelInterval);
    }
    if (queue.AsyncNext(&tag, &ok, absl::ToChronoTime(until)) == grpc::CompletionQueue::GOT_EVENT) {
      return grpc::Status::OK;
    }
    if (absl::Now() >= give_up) break;
  }
  channel.Abort();
  queue.Next(&tag, &ok);
  return grpc::Status(cancelled ? grpc::StatusCode::CANCELLED : grpc::StatusCode::DEADLINE_EXCEEDED,
                      "");
}

grpc::Status CallOn(GrpcChannel& channel, absl::string_view method, const grpc::ByteBuffer& request,
                    grpc::ByteBuffer& response, const CallOptions& options) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(options.deadline));
  if (!options.traceparent.empty()) context.AddMetadata("traceparent", options.traceparent);
  const Cancellation::Listener cancel(options.cancellation, [&context] { context.TryCancel(); });
  GrpcChannel::Queue lent(channel);
  grpc::CompletionQueue& queue = *lent.get();
  const auto call = channel.stub().PrepareUnaryCall(
      &context, absl::StrCat("/", v1::ParityService::service_full_name(), "/", method), request,
      &queue);
  grpc::Status status;
  call->StartCall();
  call->Finish(&response, &status, &status);
  const grpc::Status forced = AwaitEnd(queue, options, channel);
  return forced.ok() ? status : forced;
}

// Says on which side a shard was damaged that does not have its checksum.
absl::Status WithSide(const absl::Status& status) {
  if (!absl::IsDataLoss(status) || !codec::FieldOf(status).has_value()) return status;
  absl::Status with_side(status.code(),
                         absl::StrCat(status.message(), ": damaged on the way to the server"));
  status.ForEachPayload([&with_side](absl::string_view url, const absl::Cord& payload) {
    with_side.SetPayload(url, payload);
  });
  return with_side;
}

ServerInfo FromProto(const v1::GetServerInfoResponse& response) {
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

}  // namespace

GrpcCoder::GrpcCoder(endpoint::Endpoint server, const ConnectionOptions& options)
    : endpoint_(std::move(server)),
      keepalive_(options.keepalive),
      tls_(options.tls),
      checksum_from_bytes_(options.checksum_from_bytes),
      max_request_bytes_(wire::kMaxMessageBytes - kMostBesideShards) {}

absl::Status GrpcCoder::Run(const Request& request, const CallOptions& options) {
  const bool with_checksums = BytesOf(request) >= checksum_from_bytes_;
  Loans loans;
  wire::MessageWriter writer;
  Write(request, with_checksums, writer, loans);
  grpc::ByteBuffer response;
  absl::Status status = Call(MethodOf(request.operation), writer, loans, response, options);
  LearnLimit(status, options);
  if (!status.ok()) return WithSide(status);
  return Read(response, with_checksums, request);
}

absl::StatusOr<ServerInfo> GrpcCoder::GetServerInfo(const CallOptions& options) {
  Loans loans;
  wire::MessageWriter empty;
  grpc::ByteBuffer buffer;
  absl::Status status = Call("GetServerInfo", empty, loans, buffer, options);
  if (!status.ok()) return status;
  grpc::ProtoBufferReader reader(&buffer);
  v1::GetServerInfoResponse response;
  if (!reader.status().ok() || !response.ParseFromZeroCopyStream(&reader)) {
    return absl::InternalError("response: not a GetServerInfoResponse");
  }
  return FromProto(response);
}

absl::Time GrpcCoder::Tick(absl::Time now) {
  std::shared_ptr<GrpcChannel> channel;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    channel = channel_;
  }
  if (channel != nullptr && channel->is_lost()) {
    Drop(*channel);  // the server need not keep its end any longer
  } else if (channel != nullptr) {
    channel->ReadIfIdle();
  }
  return now + GrpcChannel::ReadInterval(keepalive_);
}

absl::StatusOr<std::shared_ptr<GrpcChannel>> GrpcCoder::Connect(const CallOptions& options) {
  const auto is_cancelled = [&options] {
    return options.cancellation != nullptr && options.cancellation->is_cancelled();
  };
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    if (channel_ != nullptr && !channel_->is_lost()) return channel_;
    if (is_cancelled()) return absl::CancelledError("cancelled");
    if (!connecting_) break;
    const absl::Time now = absl::Now();
    if (now >= options.deadline) {
      return absl::DeadlineExceededError(
          absl::StrCat(endpoint_.ToString(), ": no connection in time"));
    }
    connected_.wait_until(lock,
                          absl::ToChronoTime(std::min(options.deadline, now + kCancelInterval)));
  }
  channel_ = nullptr;
  connecting_ = true;
  lock.unlock();
  absl::StatusOr<std::shared_ptr<GrpcChannel>> opened =
      GrpcChannel::Open(endpoint_, keepalive_, tls_, options.deadline, is_cancelled);
  lock.lock();
  connecting_ = false;
  if (opened.ok()) channel_ = *opened;
  connected_.notify_all();
  if (!opened.ok() && is_cancelled()) return absl::CancelledError("cancelled");
  return opened;
}

void GrpcCoder::Drop(const GrpcChannel& channel) {
  std::shared_ptr<GrpcChannel> dropped;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (channel_.get() == &channel) dropped = std::exchange(channel_, nullptr);
}

absl::Status GrpcCoder::Call(absl::string_view method, wire::MessageWriter& writer, Loans& loans,
                             grpc::ByteBuffer& response, const CallOptions& options) {
  const uint64_t bytes = writer.bytes();
  grpc::ByteBuffer request = writer.Finish();
  if (bytes > wire::kMaxMessageBytes) {
    return codec::FieldError(
        absl::StatusCode::kResourceExhausted, "message", absl::StrCat(bytes, " bytes"),
        absl::StrCat("at most ", wire::kMaxMessageBytes, ": send the stripe as slices"));
  }
  const absl::Time start = absl::Now();
  const absl::StatusOr<std::shared_ptr<GrpcChannel>> channel = Connect(options);
  if (!channel.ok()) return channel.status();
  grpc::Status status = CallOn(**channel, method, request, response, options);
  if (status.ok()) (*channel)->SetAnswered();
  if (status.error_code() == grpc::StatusCode::UNAVAILABLE) {
    Drop(**channel);
    if (!endpoint_.is_unix() && !(*channel)->has_answered()) {
      // All that a side learns of the other's not having what it wants.
      status = grpc::Status(
          status.error_code(),
          absl::StrCat(status.error_message(), tls_.is_on() ? kMaybeCertificate : kMaybeTls),
          status.error_details());
    }
  }
  request.Clear();
  if (!loans.AwaitAllBack(absl::ToChronoMilliseconds(kGrace))) {
    (*channel)->Abort();
    loans.AwaitAllBack();
  }
  return WithPlace(wire::FromGrpc(status), absl::Now() - start);
}

void GrpcCoder::LearnLimit(const absl::Status& refusal, const CallOptions& options) {
  if (!absl::IsResourceExhausted(refusal) || codec::FieldOf(refusal) != "message") return;
  const absl::StatusOr<ServerInfo> info = GetServerInfo(options);
  if (!info.ok()) return;
  const uint64_t most = std::min(info->max_message_bytes, wire::kMaxMessageBytes);
  max_request_bytes_ = most > 2 * kMostBesideShards ? most - kMostBesideShards : most / 2;
}

absl::Status GrpcCoder::WithPlace(const absl::Status& status, absl::Duration after) const {
  if (status.ok() || codec::FieldOf(status).has_value()) return status;
  const std::string message =
      absl::IsDeadlineExceeded(status)
          ? absl::StrCat("no answer within ",
                         absl::FormatDuration(absl::Trunc(after, absl::Milliseconds(1))))
          : std::string(status.message());
  absl::Status with_place(status.code(), absl::StrCat(endpoint_.ToString(), ": ", message));
  status.ForEachPayload([&with_place](absl::string_view url, const absl::Cord& payload) {
    with_place.SetPayload(url, payload);
  });
  return with_place;
}

}  // namespace parity::client
