#include "parity/wire/message_writer.h"

#include <utility>

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/wire_format_lite.h"

namespace parity::wire {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedOutputStream;

constexpr size_t kMaxVarintBytes = 10;

}  // namespace

void MessageWriter::AppendVarint(uint64_t value) {
  uint8_t bytes[kMaxVarintBytes];
  const uint8_t* end = CodedOutputStream::WriteVarint64ToArray(value, bytes);
  pending_.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(end - bytes));
}

void MessageWriter::AddVarint(int field, uint64_t value) {
  AppendVarint(WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_VARINT));
  AppendVarint(value);
}

void MessageWriter::AddPackedUint32(int field, absl::Span<const uint32_t> values) {
  if (values.empty()) return;
  size_t bytes = 0;
  for (uint32_t value : values) bytes += CodedOutputStream::VarintSize32(value);
  AppendVarint(WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED));
  AppendVarint(bytes);
  for (uint32_t value : values) AppendVarint(value);
}

void MessageWriter::AddPackedFixed32(int field, absl::Span<const uint32_t> values) {
  if (values.empty()) return;
  AppendVarint(WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED));
  AppendVarint(values.size() * sizeof(uint32_t));
  for (uint32_t value : values) {
    uint8_t bytes[sizeof value];
    CodedOutputStream::WriteLittleEndian32ToArray(value, bytes);
    pending_.append(reinterpret_cast<const char*>(bytes), sizeof bytes);
  }
}

void MessageWriter::AddMessage(int field, MessageWriter&& message) {
  AppendVarint(WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED));
  AppendVarint(message.bytes());
  if (message.slices_.empty()) {
    pending_.append(message.pending_);
    message.pending_.clear();
    return;
  }
  // The first slice holds tags and scalars: it travels with what comes before it here.
  const grpc::Slice& head = message.slices_.front();
  pending_.append(reinterpret_cast<const char*>(head.begin()), head.size());
  Flush();
  bytes_ += message.bytes_ - head.size();
  slices_.insert(slices_.end(), message.slices_.begin() + 1, message.slices_.end());
  pending_.swap(message.pending_);  // which Flush has emptied
  message.Finish();
}

void MessageWriter::AddMessage(int field, const google::protobuf::MessageLite& message) {
  AppendVarint(WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED));
  AppendVarint(message.ByteSizeLong());
  message.AppendToString(&pending_);
}

void MessageWriter::AddFields(const google::protobuf::MessageLite& message) {
  message.AppendToString(&pending_);
}

void MessageWriter::AddBytes(int field, absl::Span<const grpc::Slice> slices) {
  uint64_t bytes = 0;
  for (const grpc::Slice& slice : slices) bytes += slice.size();
  AppendVarint(WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED));
  AppendVarint(bytes);
  Flush();
  slices_.insert(slices_.end(), slices.begin(), slices.end());
  bytes_ += bytes;
}

void MessageWriter::Flush() {
  if (pending_.empty()) return;
  bytes_ += pending_.size();
  slices_.emplace_back(pending_);
  pending_.clear();
}

grpc::ByteBuffer MessageWriter::Finish() {
  Flush();
  grpc::ByteBuffer buffer(slices_.data(), slices_.size());
  slices_.clear();
  bytes_ = 0;
  return buffer;
}

}  // namespace parity::wire
