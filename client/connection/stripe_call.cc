#include "stripe_call.h"

#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "grpcpp/support/proto_buffer_reader.h"
#include "parity/checksum/crc32c.h"
#include "parity/codec/field_error.h"
#include "parity/codec/shard.h"
#include "parity/v1/parity.pb.h"
#include "parity/wire/stripe_message.h"

namespace parity::client {
namespace {

// Whether the shards are full and lie back to back, so that they can travel as one field.
bool ArePacked(absl::Span<const ShardBytes> shards, size_t shard_bytes) {
  for (size_t i = 0; i < shards.size(); ++i) {
    if (shards[i].size() != shard_bytes) return false;
    if (i > 0 && shards[i].data() != shards[i - 1].data() + shard_bytes) return false;
  }
  return true;
}

void AddShards(absl::Span<const ShardBytes> shards, size_t shard_bytes, wire::MessageWriter& writer,
               Loans& loans) {
  if (ArePacked(shards, shard_bytes)) {
    const ShardBytes all(shards[0].data(), shards.size() * shard_bytes);
    writer.AddBytes(wire::kPackedShardsField, {loans.Lend(all)});
    return;
  }
  for (const ShardBytes shard : shards) {
    if (shard.empty()) {
      writer.AddBytes(wire::kShardsField, {});
    } else {
      writer.AddBytes(wire::kShardsField, {loans.Lend(shard)});
    }
  }
}

absl::Status ReadReport(const grpc::ByteBuffer& response, const Request& request) {
  grpc::ByteBuffer buffer = response;  // the reader wants to own it
  grpc::ProtoBufferReader reader(&buffer);
  v1::VerifyResponse said;
  if (!reader.status().ok() || !said.ParseFromZeroCopyStream(&reader)) {
    return absl::InternalError("response: not a VerifyResponse");
  }
  const codec::Geometry& geometry = request.geometry;
  codec::VerifyReport report;
  if (said.suspect() >= geometry.total_shards()) {
    return absl::InternalError(absl::StrCat("response: suspect: got ", said.suspect()));
  }
  for (const auto& mismatch : said.mismatches()) {
    const bool is_parity =
        mismatch.shard() >= geometry.data_shards() && mismatch.shard() < geometry.total_shards();
    if (!is_parity || mismatch.offset() >= request.shard_bytes) {
      return absl::InternalError(absl::StrCat("response: mismatch: got shard ", mismatch.shard(),
                                              ", offset ", mismatch.offset()));
    }
    report.mismatches.push_back({mismatch.shard(), mismatch.offset()});
  }
  if (said.has_suspect()) report.suspect = said.suspect();
  MergeReport(*request.report, report, 0);  // the server has them in the order found
  return absl::OkStatus();
}

uint32_t ChecksumOf(codec::Shard shard) {
  uint32_t checksum = 0;
  for (const codec::Segment& segment : shard) {
    checksum = checksum::Crc32c({segment.data, segment.bytes}, checksum);
  }
  return checksum;
}

absl::Status CheckComputed(const wire::StripeMessage& message, bool with_checksums,
                           const Request& request) {
  const absl::Span<const codec::Shard> shards = message.shards();
  if (shards.size() != request.outputs.size() || message.shard_bytes() != request.shard_bytes ||
      message.indices() != request.wanted) {
    return absl::InternalError(absl::StrCat(
        "response: got ", shards.size(), " shards of ", message.shard_bytes(), " bytes, want ",
        request.outputs.size(), " of ", request.shard_bytes, ", with the indices asked for"));
  }
  if (with_checksums && message.checksums().size() != shards.size()) {
    return absl::InternalError("response: no checksums, though the request had them");
  }
  for (size_t i = 0; i < shards.size(); ++i) {
    if (codec::BytesIn(shards[i]) != request.shard_bytes) {
      return absl::InternalError(absl::StrCat("response: shards[", i, "] is short"));
    }
    if (!with_checksums) continue;
    const uint32_t got = ChecksumOf(shards[i]);
    if (got != message.checksums()[i]) {
      return codec::FieldError(
          absl::StatusCode::kDataLoss, absl::StrCat("out[", i, "]"),
          absl::StrFormat("CRC32C %08x", got),
          absl::StrFormat("%08x: damaged on the way from the server", message.checksums()[i]));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::string_view MethodOf(Operation operation) {
  switch (operation) {
    case Operation::kEncode:
      return "Encode";
    case Operation::kReconstruct:
      return "Reconstruct";
    case Operation::kVerify:
      return "Verify";
    case Operation::kUpdate:
      return "Update";
  }
  return "";
}

void Write(const Request& request, bool with_checksums, wire::MessageWriter& writer, Loans& loans) {
  std::vector<ShardBytes> shards(request.shards.begin(), request.shards.end());
  if (request.operation == Operation::kUpdate) {
    for (const uint8_t* parity : request.outputs) shards.emplace_back(parity, request.shard_bytes);
  }
  writer.AddMessage(wire::kGeometryField, wire::ToProto(request.geometry));
  if (!request.indices.empty()) writer.AddPackedUint32(wire::kIndicesField, request.indices);
  if (!request.wanted.empty()) writer.AddPackedUint32(wire::kWantedField, request.wanted);
  writer.AddVarint(wire::kShardBytesField, request.shard_bytes);
  if (with_checksums) {
    std::vector<uint32_t> checksums;
    checksums.reserve(shards.size());
    for (const ShardBytes shard : shards) checksums.push_back(checksum::Crc32c(shard));
    writer.AddPackedFixed32(wire::kChecksumsField, checksums);
  }
  AddShards(shards, request.shard_bytes, writer, loans);
}

absl::Status Read(const grpc::ByteBuffer& response, bool with_checksums, const Request& request) {
  if (request.operation == Operation::kVerify) return ReadReport(response, request);
  absl::StatusOr<wire::StripeMessage> message = wire::StripeMessage::Read(response);
  if (!message.ok()) {
    return absl::InternalError(absl::StrCat("response: ", message.status().message()));
  }
  if (absl::Status status = CheckComputed(*message, with_checksums, request); !status.ok()) {
    return status;
  }
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    uint8_t* to = request.outputs[i];
    for (const codec::Segment& segment : message->shards()[i]) {
      std::memcpy(to, segment.data, segment.bytes);
      to += segment.bytes;
    }
  }
  return absl::OkStatus();
}

}  // namespace parity::client
