#include "parity/wire/stripe_message.h"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream.h"
#include "google/protobuf/wire_format_lite.h"
#include "parity/codec/field_error.h"
#include "parity/wire/message_writer.h"

namespace parity::wire {
namespace {

using codec::InvalidField;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr size_t kMaxShards = codec::Geometry::kMaxShards;

// The slices of a message as protobuf reads them.
class SliceStream : public google::protobuf::io::ZeroCopyInputStream {
 public:
  explicit SliceStream(const std::vector<grpc::Slice>& slices) : slices_(slices) {}

  bool Next(const void** data, int* size) override {
    while (index_ < slices_.size() && offset_ == slices_[index_].size()) {
      ++index_;
      offset_ = 0;
    }
    if (index_ == slices_.size()) return false;
    const size_t rest = slices_[index_].size() - offset_;
    *data = slices_[index_].begin() + offset_;
    *size = static_cast<int>(rest);
    offset_ += rest;
    count_ += static_cast<int64_t>(rest);
    return true;
  }

  void BackUp(int count) override {
    offset_ -= static_cast<size_t>(count);
    count_ -= count;
  }

  bool Skip(int count) override {
    const void* data;
    int size;
    while (count > 0) {
      if (!Next(&data, &size)) return false;
      if (size > count) BackUp(size - count);
      count -= std::min(size, count);
    }
    return true;
  }

  int64_t ByteCount() const override { return count_; }

 private:
  const std::vector<grpc::Slice>& slices_;
  size_t index_ = 0;
  size_t offset_ = 0;
  int64_t count_ = 0;
};

// The length of a delimited field; false if it goes beyond the end of the message.
bool ReadLength(CodedInputStream& input, int* bytes) {
  return input.ReadVarintSizeAsInt(bytes) && *bytes <= input.BytesUntilLimit();
}

// Appends the content of a bytes field, where it lies.
bool ReadBytes(CodedInputStream& input, std::vector<codec::Segment>& segments) {
  int bytes;
  if (!ReadLength(input, &bytes)) return false;
  while (bytes > 0) {
    const void* data;
    int available;
    if (!input.GetDirectBufferPointer(&data, &available)) return false;
    const int run = std::min(bytes, available);
    segments.push_back({static_cast<const uint8_t*>(data), static_cast<size_t>(run)});
    if (!input.Skip(run)) return false;
    bytes -= run;
  }
  return true;
}

bool ReadGeometry(CodedInputStream& input, v1::Geometry& geometry) {
  int bytes;
  if (!ReadLength(input, &bytes)) return false;
  const CodedInputStream::Limit limit = input.PushLimit(bytes);
  if (!geometry.MergeFromCodedStream(&input) || !input.ConsumedEntireMessage()) return false;
  input.PopLimit(limit);
  return true;
}

// A repeated uint32, one at a time or packed. Stops one past the most there may be.
bool ReadIndices(CodedInputStream& input, bool packed, std::vector<uint32_t>& indices) {
  uint32_t value;
  if (!packed) {
    if (!input.ReadVarint32(&value)) return false;
    if (indices.size() <= kMaxShards) indices.push_back(value);
    return true;
  }
  int bytes;
  if (!ReadLength(input, &bytes)) return false;
  const CodedInputStream::Limit limit = input.PushLimit(bytes);
  while (input.BytesUntilLimit() > 0) {
    if (!input.ReadVarint32(&value)) return false;
    if (indices.size() <= kMaxShards) indices.push_back(value);
  }
  input.PopLimit(limit);
  return true;
}

absl::Status CheckCount(std::string_view field, size_t count) {
  if (count <= kMaxShards) return absl::OkStatus();
  return InvalidField(field, absl::StrCat("more than ", kMaxShards, " entries"),
                      absl::StrCat("at most ", kMaxShards));
}

absl::Span<const uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// Unset is the default of the code.
absl::StatusOr<std::optional<codec::Matrix>> MatrixFrom(v1::Matrix matrix, bool has_choice) {
  if (matrix == v1::MATRIX_UNSPECIFIED) return std::nullopt;
  if (!has_choice) {
    return InvalidField("geometry.matrix", static_cast<int>(matrix),
                        "MATRIX_UNSPECIFIED (0): only CODE_REED_SOLOMON has one to choose");
  }
  switch (matrix) {
    case v1::MATRIX_CAUCHY:
      return codec::Matrix::kCauchy;
    case v1::MATRIX_VANDERMONDE:
      return codec::Matrix::kVandermonde;
    case v1::MATRIX_SYSTEMATIC_VANDERMONDE:
      return codec::Matrix::kSystematicVandermonde;
    case v1::MATRIX_CUSTOM:
      return codec::Matrix::kCustom;
    default:  // an open enum: any int32 may arrive
      return InvalidField("geometry.matrix", static_cast<int>(matrix),
                          "MATRIX_UNSPECIFIED (0), MATRIX_CAUCHY (1), MATRIX_VANDERMONDE (2), "
                          "MATRIX_SYSTEMATIC_VANDERMONDE (3) or MATRIX_CUSTOM (4)");
  }
}

v1::Matrix ToProto(codec::Matrix matrix) {
  switch (matrix) {
    case codec::Matrix::kNone:
      return v1::MATRIX_UNSPECIFIED;
    case codec::Matrix::kCauchy:
      return v1::MATRIX_CAUCHY;
    case codec::Matrix::kVandermonde:
      return v1::MATRIX_VANDERMONDE;
    case codec::Matrix::kSystematicVandermonde:
      return v1::MATRIX_SYSTEMATIC_VANDERMONDE;
    case codec::Matrix::kCustom:
      return v1::MATRIX_CUSTOM;
  }
  return v1::MATRIX_UNSPECIFIED;
}

}  // namespace

absl::StatusOr<StripeMessage> StripeMessage::Read(const grpc::ByteBuffer& buffer) {
  StripeMessage message;
  if (buffer.Length() > INT_MAX)
    return InvalidField("message", absl::StrCat(buffer.Length(), " bytes"), "at most 2^31-1 bytes");
  if (!buffer.Dump(&message.slices_).ok()) {
    return absl::InternalError("the slices of the message cannot be read");
  }
  absl::Status status = message.Parse(buffer.Length());
  if (!status.ok()) return status;
  return message;
}

absl::Status StripeMessage::Parse(uint64_t message_bytes) {
  SliceStream stream(slices_);
  CodedInputStream input(&stream);
  input.PushLimit(static_cast<int>(message_bytes));
  std::vector<codec::Segment> packed;
  std::vector<size_t> ends;  // for each repeated shard, the end of its segments
  bool is_packed = false;
  const auto malformed = [&] {
    return InvalidField("message",
                        absl::StrCat("a message of ", message_bytes, " bytes, malformed at byte ",
                                     input.CurrentPosition()),
                        "a complete message of parity.v1");
  };

  while (true) {
    const uint32_t tag = input.ReadTag();
    if (tag == 0) {
      if (!input.ConsumedEntireMessage()) return malformed();
      break;
    }
    const int field = WireFormatLite::GetTagFieldNumber(tag);
    const auto type = WireFormatLite::GetTagWireType(tag);
    const bool varint = type == WireFormatLite::WIRETYPE_VARINT;
    const bool delimited = type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    bool ok;
    if (field == kGeometryField && delimited) {
      ok = ReadGeometry(input, geometry_);
    } else if (field == kShardBytesField && varint) {
      ok = input.ReadVarint64(&shard_bytes_);
    } else if (field == kShardsField && delimited) {
      ok = ReadBytes(input, segments_);
      ends.push_back(segments_.size());
      if (absl::Status status = CheckCount("shards", ends.size()); !status.ok()) return status;
    } else if (field == kPackedShardsField && delimited) {
      is_packed = true;
      packed.clear();
      ok = ReadBytes(input, packed);
    } else if (field == kIndicesField && (varint || delimited)) {
      ok = ReadIndices(input, delimited, indices_);
    } else if (field == kWantedField && (varint || delimited)) {
      ok = ReadIndices(input, delimited, wanted_);
    } else {
      ok = WireFormatLite::SkipField(&input, tag);
    }
    if (!ok) return malformed();
  }

  if (absl::Status status = CheckCount("present", indices_.size()); !status.ok()) return status;
  if (absl::Status status = CheckCount("wanted", wanted_.size()); !status.ok()) return status;
  if (is_packed && !ends.empty()) {
    return InvalidField("shards", "shards and packed_shards", "one of them");
  }
  return is_packed ? SplitPacked(packed) : JoinRepeated(ends);
}

void StripeMessage::SetShards(absl::Span<const size_t> ends) {
  size_t begin = 0;
  for (size_t end : ends) {
    shards_.emplace_back(segments_.data() + begin, end - begin);
    begin = end;
  }
}

absl::Status StripeMessage::JoinRepeated(absl::Span<const size_t> ends) {
  form_ = ShardForm::kRepeated;
  if (ends.empty()) return InvalidField("shards", "none", "the shards of a stripe");
  SetShards(ends);
  const bool equal = shard_bytes_ == 0;
  if (equal) shard_bytes_ = codec::BytesIn(shards_[0]);
  for (size_t i = 0; i < shards_.size(); ++i) {
    const uint64_t bytes = codec::BytesIn(shards_[i]);
    if (equal && bytes != shard_bytes_) {
      return InvalidField(absl::StrCat("shards[", i, "]"), absl::StrCat(bytes, " bytes"),
                          absl::StrCat(shard_bytes_, " bytes as shards[0], or shard_bytes set"));
    }
    if (bytes > shard_bytes_) {
      return InvalidField(absl::StrCat("shards[", i, "]"), absl::StrCat(bytes, " bytes"),
                          absl::StrCat("at most shard_bytes (", shard_bytes_, ")"));
    }
  }
  if (shard_bytes_ == 0) return InvalidField("shard_bytes", "empty shards", "at least 1 byte");
  return absl::OkStatus();
}

absl::Status StripeMessage::SplitPacked(absl::Span<const codec::Segment> packed) {
  form_ = ShardForm::kPacked;
  const uint64_t total = codec::BytesIn(packed);
  if (shard_bytes_ == 0) return InvalidField("shard_bytes", 0, "the length of one packed shard");
  if (total == 0) return InvalidField("packed_shards", "0 bytes", "the shards of a stripe");
  if (total % shard_bytes_ != 0) {
    return InvalidField("packed_shards", absl::StrCat(total, " bytes"),
                        absl::StrCat("a multiple of shard_bytes (", shard_bytes_, ")"));
  }
  const uint64_t count = total / shard_bytes_;
  if (absl::Status status = CheckCount("packed_shards", count); !status.ok()) return status;

  std::vector<size_t> ends;
  uint64_t room = shard_bytes_;  // left in the current shard
  for (codec::Segment segment : packed) {
    while (segment.bytes > 0) {
      const size_t run = std::min<uint64_t>(segment.bytes, room);
      segments_.push_back({segment.data, run});
      segment.data += run;
      segment.bytes -= run;
      room -= run;
      if (room == 0) {
        ends.push_back(segments_.size());
        room = shard_bytes_;
      }
    }
  }
  SetShards(ends);
  return absl::OkStatus();
}

absl::StatusOr<codec::Geometry> GeometryFrom(const v1::Geometry& geometry) {
  codec::Code code;
  switch (geometry.code()) {
    case v1::CODE_XOR:
      code = codec::Code::kXor;
      break;
    case v1::CODE_RAID6:
      code = codec::Code::kRaid6;
      break;
    case v1::CODE_REED_SOLOMON:
      code = codec::Code::kReedSolomon;
      break;
    default:  // an open enum: any int32 may arrive
      return InvalidField("geometry.code", static_cast<int>(geometry.code()),
                          "CODE_XOR (1), CODE_RAID6 (2) or CODE_REED_SOLOMON (3)");
  }
  const absl::StatusOr<std::optional<codec::Matrix>> matrix =
      MatrixFrom(geometry.matrix(), code == codec::Code::kReedSolomon);
  if (!matrix.ok()) return matrix.status();
  if (*matrix == codec::Matrix::kCustom) {
    return codec::Geometry::MakeCustom(geometry.data_shards(), geometry.parity_shards(),
                                       BytesOf(geometry.generator()));
  }
  if (!geometry.generator().empty()) {
    return InvalidField("geometry.generator", absl::StrCat(geometry.generator().size(), " bytes"),
                        "none: only MATRIX_CUSTOM (4) has one");
  }
  return codec::Geometry::Make(code, geometry.data_shards(), geometry.parity_shards(), *matrix);
}

v1::Geometry ToProto(const codec::Geometry& geometry) {
  v1::Geometry proto;
  switch (geometry.code()) {
    case codec::Code::kXor:
      proto.set_code(v1::CODE_XOR);
      break;
    case codec::Code::kRaid6:
      proto.set_code(v1::CODE_RAID6);
      break;
    case codec::Code::kReedSolomon:
      proto.set_code(v1::CODE_REED_SOLOMON);
      break;
  }
  proto.set_matrix(ToProto(geometry.matrix()));
  proto.set_data_shards(geometry.data_shards());
  proto.set_parity_shards(geometry.parity_shards());
  const absl::Span<const uint8_t> generator = geometry.custom_generator();
  if (!generator.empty()) proto.set_generator(generator.data(), generator.size());
  return proto;
}

}  // namespace parity::wire
