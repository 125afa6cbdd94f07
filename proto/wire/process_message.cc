#include "parity/wire/process_message.h"

#include <climits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/wire_format_lite.h"
#include "parity/codec/field_error.h"
#include "parity/v1/parity.pb.h"
#include "parity/wire/message_writer.h"

namespace parity::wire {
namespace {

using google::protobuf::internal::WireFormatLite;

bool IsRequest(int field) {
  return field >= v1::ProcessRequest::kEncodeFieldNumber &&
         field <= v1::ProcessRequest::kUpdateFieldNumber;
}

}  // namespace

absl::StatusOr<ProcessMessage> ProcessMessage::Read(grpc::ByteBuffer& buffer) {
  const uint64_t bytes_of_all = buffer.Length();
  const auto malformed = [bytes_of_all] {
    return codec::InvalidField("message", absl::StrCat(bytes_of_all, " bytes, malformed"),
                               "a complete ProcessRequest");
  };
  if (bytes_of_all > INT_MAX) return malformed();
  absl::StatusOr<SliceList> slices = SliceList::Take(buffer);
  if (!slices.ok()) return slices.status();
  ProcessMessage message;
  message.bytes = bytes_of_all;
  SliceStream stream(*slices);
  google::protobuf::io::CodedInputStream input(&stream);
  input.PushLimit(static_cast<int>(bytes_of_all));
  while (true) {
    const uint32_t tag = input.ReadTag();
    if (tag == 0) {
      if (!input.ConsumedEntireMessage()) return malformed();
      break;
    }
    const int field = WireFormatLite::GetTagFieldNumber(tag);
    const auto type = WireFormatLite::GetTagWireType(tag);
    bool ok;
    if (field == kIdField && type == WireFormatLite::WIRETYPE_VARINT) {
      ok = input.ReadVarint64(&message.id);
    } else if (IsRequest(field) && type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (message.field != 0) return codec::InvalidField("request", "several", "one");
      int bytes;
      ok = input.ReadVarintSizeAsInt(&bytes) && bytes <= input.BytesUntilLimit();
      message.field = field;
      message.begin = static_cast<uint64_t>(input.CurrentPosition());
      message.end = message.begin + static_cast<uint64_t>(ok ? bytes : 0);
      ok = ok && input.Skip(bytes);
    } else {
      ok = WireFormatLite::SkipField(&input, tag);
    }
    if (!ok) return malformed();
  }
  message.slices = *std::move(slices);
  return message;
}

}  // namespace parity::wire
