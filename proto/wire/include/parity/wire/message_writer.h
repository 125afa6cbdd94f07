// Builds a protobuf message around payload that is sent by reference.
#ifndef PARITY_WIRE_MESSAGE_WRITER_H_
#define PARITY_WIRE_MESSAGE_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "google/protobuf/message_lite.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"

namespace parity::wire {

// Field numbers shared by the shard-carrying messages of parity.v1.
inline constexpr int kGeometryField = 1;
inline constexpr int kShardBytesField = 2;
inline constexpr int kShardsField = 3;
inline constexpr int kPackedShardsField = 4;
inline constexpr int kIndicesField = 5;
inline constexpr int kWantedField = 6;
inline constexpr int kStripesField = 7;
inline constexpr int kChecksumsField = 8;
inline constexpr int kRegionField = 9;
inline constexpr int kOffsetsField = 10;
inline constexpr int kLengthsField = 11;
inline constexpr int kOutputOffsetsField = 12;

// Those of ProcessRequest and ProcessResponse; the others hold a message of the operation.
inline constexpr int kIdField = 1;
inline constexpr int kErrorField = 6;

// Appends fields in the order of the calls. Not thread-safe.
class MessageWriter {
 public:
  void AddVarint(int field, uint64_t value);
  void AddPackedUint32(int field, absl::Span<const uint32_t> values);
  void AddPackedFixed32(int field, absl::Span<const uint32_t> values);
  void AddMessage(int field, const google::protobuf::MessageLite& message);
  // A message that has been written already; `message` is empty afterwards.
  void AddMessage(int field, MessageWriter&& message);
  // All fields of a message.
  void AddFields(const google::protobuf::MessageLite& message);
  // A bytes field whose content is `slices`, back to back.
  void AddBytes(int field, absl::Span<const grpc::Slice> slices);

  // The length of what was added, in bytes.
  uint64_t bytes() const { return bytes_ + pending_.size(); }

  // The message. The writer is empty afterwards.
  grpc::ByteBuffer Finish();

 private:
  void AppendVarint(uint64_t value);
  void Flush();

  std::string pending_;              // tags and scalars not yet in a slice
  std::vector<grpc::Slice> slices_;  // the first one holds tags and scalars
  uint64_t bytes_ = 0;               // in slices_
};

}  // namespace parity::wire

#endif  // PARITY_WIRE_MESSAGE_WRITER_H_
