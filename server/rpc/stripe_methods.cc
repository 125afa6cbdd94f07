#include "stripe_methods.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "parity/codec/field_error.h"
#include "parity/engine/stripe_processor.h"
#include "parity/wire/limits.h"
#include "parity/wire/message_writer.h"
#include "parity/wire/stripe_message.h"
#include "worker.h"

namespace parity::rpc {
namespace {

using codec::FieldError;
using wire::kMaxMessageBytes;

// Calls that wait in gRPC for each method, so that a burst is taken without a round through the
// queue.
constexpr int kCallsAskedFor = 16;

// Room for tags, lengths and small fields around the shards of a response.
constexpr uint64_t kResponseOverheadBytes = 4096;

// Refuses a stripe that would be too large if its shards were as long as shard_bytes says, whatever
// the message itself holds, and a response beyond the limit.
absl::Status CheckSize(const wire::StripeMessage& message, size_t computed_shards) {
  const uint64_t shards = message.shards().size();
  if (message.shard_bytes() > kMaxMessageBytes / shards) {
    return FieldError(
        absl::StatusCode::kResourceExhausted, "shard_bytes",
        absl::StrCat(message.shard_bytes(), " for each of ", shards, " shards"),
        absl::StrCat("at most ", kMaxMessageBytes, " bytes in all: send the stripe as slices"));
  }
  const uint64_t room = kMaxMessageBytes - kResponseOverheadBytes;
  if (computed_shards > 0 && message.shard_bytes() > room / computed_shards) {
    return FieldError(
        absl::StatusCode::kResourceExhausted, "shard_bytes",
        absl::StrCat(message.shard_bytes(), " for each of ", computed_shards, " computed shards"),
        absl::StrCat("at most ", room, " bytes of response: send the stripe as slices"));
  }
  return absl::OkStatus();
}

// A message with the geometry that it asks for.
struct Request {
  wire::StripeMessage message;
  codec::Geometry geometry;
};

absl::StatusOr<Request> ReadRequest(const grpc::ByteBuffer& buffer) {
  if (buffer.Length() > kMaxMessageBytes) {
    return FieldError(absl::StatusCode::kResourceExhausted, "message",
                      absl::StrCat(buffer.Length(), " bytes"),
                      absl::StrCat("at most ", kMaxMessageBytes, ": send the stripe as slices"));
  }
  absl::StatusOr<wire::StripeMessage> message = wire::StripeMessage::Read(buffer);
  if (!message.ok()) return message.status();
  absl::StatusOr<codec::Geometry> geometry = wire::GeometryFrom(message->geometry());
  if (!geometry.ok()) return geometry.status();
  return Request{*std::move(message), *geometry};
}

// The number of shards, under the name of the field that they came in.
absl::Status CheckCount(const wire::StripeMessage& message, size_t want) {
  if (message.shards().size() == want) return absl::OkStatus();
  return codec::InvalidField(
      message.form() == wire::ShardForm::kPacked ? "packed_shards" : "shards",
      absl::StrCat(message.shards().size(), " shards"), absl::StrCat(want));
}

// A slice of the computed shards. The buffer goes back to its pool when gRPC drops the last one.
grpc::Slice SliceOf(const std::shared_ptr<engine::ComputedShards>& shards, size_t offset,
                    size_t bytes) {
  using Owner = std::shared_ptr<engine::ComputedShards>;
  return grpc::Slice(
      shards->buffer.data() + offset, bytes, [](void* owner) { delete static_cast<Owner*>(owner); },
      new Owner(shards));
}

void AddShards(wire::MessageWriter& writer, wire::ShardForm form, engine::ComputedShards computed) {
  const auto shards = std::make_shared<engine::ComputedShards>(std::move(computed));
  const size_t shard_bytes = shards->shard_bytes;
  writer.AddVarint(wire::kShardBytesField, shard_bytes);
  if (form == wire::ShardForm::kPacked) {
    writer.AddBytes(wire::kPackedShardsField, {SliceOf(shards, 0, shards->count * shard_bytes)});
    return;
  }
  for (uint32_t i = 0; i < shards->count; ++i) {
    writer.AddBytes(wire::kShardsField, {SliceOf(shards, i * shard_bytes, shard_bytes)});
  }
}

// Every index of the stripe that is not present.
std::vector<uint32_t> Missing(uint32_t total, absl::Span<const uint32_t> present) {
  std::vector<bool> is_present(total, false);
  for (uint32_t index : present) {
    if (index < total) is_present[index] = true;
  }
  std::vector<uint32_t> missing;
  for (uint32_t index = 0; index < total; ++index) {
    if (!is_present[index]) missing.push_back(index);
  }
  return missing;
}

grpc::ByteBuffer ToBuffer(const std::string& message) {
  const grpc::Slice slice(message);
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace

StripeMethods::StripeMethods(Worker& worker, std::string info)
    : worker_(worker),
      info_(std::move(info)),
      methods_{Method(&Service::RequestEncode, &StripeMethods::Encode),
               Method(&Service::RequestReconstruct, &StripeMethods::Reconstruct),
               Method(&Service::RequestVerify, &StripeMethods::Verify),
               Method(&Service::RequestGetServerInfo, &StripeMethods::GetServerInfo)} {}

UnaryMethod StripeMethods::Method(RequestFunction request, PlanFunction plan) {
  return {[this, request](grpc::ServerContext* context, grpc::ByteBuffer* buffer,
                          UnaryWriter* writer, Tag* tag) {
            (service_.*request)(context, buffer, writer, worker_.queue(), worker_.queue(), tag);
          },
          [this, plan](const grpc::ByteBuffer& buffer) { return (this->*plan)(buffer); }};
}

void StripeMethods::AskForCalls() {
  for (const UnaryMethod& method : methods_) {
    for (int i = 0; i < kCallsAskedFor; ++i) UnaryCall::Ask(worker_, method);
  }
}

absl::StatusOr<Respond> StripeMethods::Encode(const grpc::ByteBuffer& buffer) {
  absl::StatusOr<Request> request = ReadRequest(buffer);
  if (!request.ok()) return request.status();
  absl::Status status = CheckCount(request->message, request->geometry.data_shards());
  if (status.ok()) status = CheckSize(request->message, request->geometry.parity_shards());
  if (!status.ok()) return status;
  absl::StatusOr<engine::ComputedShards> parity = worker_.processor().Encode(
      request->geometry, request->message.shards(), request->message.shard_bytes());
  if (!parity.ok()) return parity.status();
  return [message = std::move(request->message),
          parity = *std::move(parity)]() mutable -> absl::StatusOr<grpc::ByteBuffer> {
    wire::MessageWriter writer;
    AddShards(writer, message.form(), std::move(parity));
    return writer.Finish();
  };
}

absl::StatusOr<Respond> StripeMethods::Reconstruct(const grpc::ByteBuffer& buffer) {
  absl::StatusOr<Request> request = ReadRequest(buffer);
  if (!request.ok()) return request.status();
  const wire::StripeMessage& message = request->message;
  if (message.indices().empty()) {
    return codec::InvalidField("present", "none", "the index of each shard");
  }
  absl::Status status = CheckCount(message, message.indices().size());
  if (!status.ok()) return status;
  std::vector<uint32_t> wanted(message.wanted().begin(), message.wanted().end());
  if (wanted.empty()) wanted = Missing(request->geometry.total_shards(), message.indices());
  if (wanted.empty()) {
    return codec::InvalidField("wanted", "none, and every shard is present", "a shard to compute");
  }
  status = CheckSize(message, wanted.size());
  if (!status.ok()) return status;
  absl::StatusOr<engine::ComputedShards> shards = worker_.processor().Reconstruct(
      request->geometry, message.indices(), message.shards(), message.shard_bytes(), wanted);
  if (!shards.ok()) return shards.status();
  return [message = std::move(request->message), wanted = std::move(wanted),
          shards = *std::move(shards)]() mutable -> absl::StatusOr<grpc::ByteBuffer> {
    wire::MessageWriter writer;
    writer.AddPackedUint32(wire::kIndicesField, wanted);
    AddShards(writer, message.form(), std::move(shards));
    return writer.Finish();
  };
}

absl::StatusOr<Respond> StripeMethods::Verify(const grpc::ByteBuffer& buffer) {
  absl::StatusOr<Request> request = ReadRequest(buffer);
  if (!request.ok()) return request.status();
  absl::Status status = CheckCount(request->message, request->geometry.total_shards());
  if (status.ok()) status = CheckSize(request->message, 0);
  if (!status.ok()) return status;
  absl::StatusOr<codec::VerifyReport> report = worker_.processor().Verify(
      request->geometry, request->message.shards(), request->message.shard_bytes());
  if (!report.ok()) return report.status();
  return [report = *std::move(report)]() -> absl::StatusOr<grpc::ByteBuffer> {
    v1::VerifyResponse response;
    for (const auto& mismatch : report.mismatches) {
      auto* added = response.add_mismatches();
      added->set_shard(mismatch.shard);
      added->set_offset(mismatch.offset);
    }
    if (report.suspect.has_value()) response.set_suspect(*report.suspect);
    return ToBuffer(response.SerializeAsString());
  };
}

absl::StatusOr<Respond> StripeMethods::GetServerInfo(const grpc::ByteBuffer&) {
  return [this]() -> absl::StatusOr<grpc::ByteBuffer> { return ToBuffer(info_); };
}

}  // namespace parity::rpc
