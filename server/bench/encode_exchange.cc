#include "encode_exchange.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/wire_format_lite.h"
#include "grpcpp/support/proto_buffer_reader.h"
#include "parity/v1/parity.pb.h"
#include "parity/wire/stripe_message.h"

namespace parity::bench {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

// Reads a field that is no length-delimited one, or that nobody asked for.
bool Skip(CodedInputStream& input, uint32_t tag) { return WireFormatLite::SkipField(&input, tag); }

bool IsBytesField(uint32_t tag, int field) {
  return tag == WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}

// Appends where the content of a bytes field lies.
bool ReadBytes(CodedInputStream& input, std::vector<codec::Segment>& segments) {
  uint32_t left;
  if (!input.ReadVarint32(&left)) return false;
  while (left > 0) {
    const void* data;
    int bytes;
    if (!input.GetDirectBufferPointer(&data, &bytes)) return false;
    const int taken = static_cast<int>(std::min(left, static_cast<uint32_t>(bytes)));
    segments.push_back({static_cast<const uint8_t*>(data), static_cast<size_t>(taken)});
    if (!input.Skip(taken)) return false;
    left -= static_cast<uint32_t>(taken);
  }
  return true;
}

// An EncodeResponse, up to the end or the limit.
bool ReadResponse(CodedInputStream& input, Answer& answer) {
  while (const uint32_t tag = input.ReadTag()) {
    const bool holds_shards =
        IsBytesField(tag, wire::kShardsField) || IsBytesField(tag, wire::kPackedShardsField);
    if (!(holds_shards ? ReadBytes(input, answer.parity) : Skip(input, tag))) return false;
  }
  return true;
}

absl::Status Malformed() { return absl::DataLossError("answer: not a well-formed message"); }

}  // namespace

EncodeExchange::EncodeExchange(const Job& job) : source_bytes_(job.source_bytes()) {
  v1::EncodeRequest request;
  *request.mutable_geometry() = wire::ToProto(job.geometry);
  request.set_shard_bytes(job.shard_bytes);
  if (job.stripes > 1) request.set_stripes(static_cast<uint32_t>(job.stripes));
  std::string header = request.SerializeAsString();
  google::protobuf::io::StringOutputStream stream(&header);
  {
    google::protobuf::io::CodedOutputStream output(&stream);
    output.WriteTag(WireFormatLite::MakeTag(wire::kPackedShardsField,
                                            WireFormatLite::WIRETYPE_LENGTH_DELIMITED));
    output.WriteVarint64(source_bytes_);
  }
  header_ = grpc::Slice(header);
}

grpc::ByteBuffer EncodeExchange::UnaryRequest(const uint8_t* sources) {
  const grpc::Slice parts[] = {header_,
                               grpc::Slice(sources, source_bytes_, grpc::Slice::STATIC_SLICE)};
  return grpc::ByteBuffer(parts, 2);
}

grpc::ByteBuffer EncodeExchange::StreamRequest(uint64_t id, const uint8_t* sources) {
  writer_.AddVarint(v1::ProcessRequest::kIdFieldNumber, id);
  writer_.AddBytes(v1::ProcessRequest::kEncodeFieldNumber,
                   {header_, grpc::Slice(sources, source_bytes_, grpc::Slice::STATIC_SLICE)});
  return writer_.Finish();
}

absl::Status EncodeExchange::ReadUnary(grpc::ByteBuffer& message, Answer& answer) {
  answer.parity.clear();
  grpc::ProtoBufferReader reader(&message);
  CodedInputStream input(&reader);
  const bool well_formed = ReadResponse(input, answer) && input.ConsumedEntireMessage();
  return well_formed ? absl::OkStatus() : Malformed();
}

absl::Status EncodeExchange::ReadStream(grpc::ByteBuffer& message, Answer& answer) {
  answer.id = 0;
  answer.parity.clear();
  grpc::ProtoBufferReader reader(&message);
  CodedInputStream input(&reader);
  bool well_formed = true;
  absl::Status error;
  while (const uint32_t tag = input.ReadTag()) {
    if (IsBytesField(tag, v1::ProcessResponse::kEncodeFieldNumber)) {
      const auto limit = input.ReadLengthAndPushLimit();
      well_formed =
          ReadResponse(input, answer) && input.CheckEntireMessageConsumedAndPopLimit(limit);
    } else if (IsBytesField(tag, v1::ProcessResponse::kErrorFieldNumber)) {
      status::v1::Status status;
      const auto limit = input.ReadLengthAndPushLimit();
      well_formed =
          status.ParseFromCodedStream(&input) && input.CheckEntireMessageConsumedAndPopLimit(limit);
      error = absl::Status(static_cast<absl::StatusCode>(status.code()),
                           absl::StrCat("Process: ", status.message()));
    } else if (tag == WireFormatLite::MakeTag(v1::ProcessResponse::kIdFieldNumber,
                                              WireFormatLite::WIRETYPE_VARINT)) {
      well_formed = input.ReadVarint64(&answer.id);
    } else {
      well_formed = Skip(input, tag);
    }
    if (!well_formed) return Malformed();
  }
  return input.ConsumedEntireMessage() ? error : Malformed();
}

}  // namespace parity::bench
