#include "parity/wire/stripe_message.h"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/wire_format_lite.h"
#include "parity/codec/field_error.h"
#include "parity/wire/limits.h"
#include "parity/wire/message_writer.h"

namespace parity::wire {
namespace {

using codec::InvalidField;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr size_t kMaxShards = codec::Geometry::kMaxShards;
// A geometry with the largest generator has half of this. protobuf keeps what it does not know, in
// thirty times the memory.
constexpr int kMaxGeometryBytes = 128 << 10;

constexpr size_t kMaxShardsPerMessage = kMaxShards * kMaxStripesPerMessage;

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
  if (!ReadLength(input, &bytes) || bytes > kMaxGeometryBytes) return false;
  const CodedInputStream::Limit limit = input.PushLimit(bytes);
  if (!geometry.MergeFromCodedStream(&input) || !input.ConsumedEntireMessage()) return false;
  geometry.DiscardUnknownFields();
  input.PopLimit(limit);
  return true;
}

bool ReadVarint(CodedInputStream& input, uint32_t* value) { return input.ReadVarint32(value); }
bool ReadVarint(CodedInputStream& input, uint64_t* value) { return input.ReadVarint64(value); }

// A repeated uint32 or uint64, one at a time or packed. Stops one past the most there may be.
template <class Number>
bool ReadNumbers(CodedInputStream& input, bool packed, size_t most, std::vector<Number>& numbers) {
  Number value;
  if (!packed) {
    if (!ReadVarint(input, &value)) return false;
    if (numbers.size() <= most) numbers.push_back(value);
    return true;
  }
  int bytes;
  if (!ReadLength(input, &bytes)) return false;
  const CodedInputStream::Limit limit = input.PushLimit(bytes);
  while (input.BytesUntilLimit() > 0) {
    if (!ReadVarint(input, &value)) return false;
    if (numbers.size() <= most) numbers.push_back(value);
  }
  input.PopLimit(limit);
  return true;
}

// Fixed 32-bit values, one at a time or packed.
bool ReadChecksums(CodedInputStream& input, bool packed, std::vector<uint32_t>& checksums) {
  int bytes = sizeof(uint32_t);
  if (packed && (!ReadLength(input, &bytes) || bytes % sizeof(uint32_t) != 0)) return false;
  for (; bytes > 0; bytes -= static_cast<int>(sizeof(uint32_t))) {
    uint32_t value;
    if (!input.ReadLittleEndian32(&value)) return false;
    if (checksums.size() <= kMaxShardsPerMessage) checksums.push_back(value);
  }
  return true;
}

absl::Status CheckCount(std::string_view field, size_t count, size_t most = kMaxShards) {
  if (count <= most) return absl::OkStatus();
  return InvalidField(field, absl::StrCat("more than ", most, " entries"),
                      absl::StrCat("at most ", most));
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
  if (buffer.Length() > INT_MAX)
    return InvalidField("message", absl::StrCat(buffer.Length(), " bytes"), "at most 2^31-1 bytes");
  grpc::ByteBuffer same(buffer);
  absl::StatusOr<SliceList> slices = SliceList::Take(same);
  if (!slices.ok()) return slices.status();
  return Read(*std::move(slices), 0, buffer.Length());
}

absl::StatusOr<StripeMessage> StripeMessage::Read(SliceList slices, uint64_t begin, uint64_t end) {
  StripeMessage message;
  message.slices_ = std::move(slices);
  absl::Status status = message.Parse(begin, end);
  if (!status.ok()) return status;
  return message;
}

absl::Status StripeMessage::Parse(uint64_t begin, uint64_t end) {
  SliceStream stream(slices_);
  CodedInputStream input(&stream);
  input.Skip(static_cast<int>(begin));
  input.PushLimit(static_cast<int>(end - begin));
  std::vector<codec::Segment> packed;
  std::vector<size_t> ends;  // for each repeated shard, the end of its segments
  bool is_packed = false;
  uint32_t stripes = 0;
  const auto malformed = [&] {
    return InvalidField("message",
                        absl::StrCat("a message of ", end - begin, " bytes, malformed at byte ",
                                     static_cast<uint64_t>(input.CurrentPosition()) - begin),
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
    const bool fixed32 = type == WireFormatLite::WIRETYPE_FIXED32;
    const bool fixed64 = type == WireFormatLite::WIRETYPE_FIXED64;
    const bool delimited = type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    bool ok;
    if (field == kGeometryField && delimited) {
      ok = ReadGeometry(input, geometry_);
    } else if (field == kShardBytesField && varint) {
      ok = input.ReadVarint64(&shard_bytes_);
    } else if (field == kShardsField && delimited) {
      ok = ReadBytes(input, segments_);
      ends.push_back(segments_.size());
      absl::Status status = CheckCount("shards", ends.size(), kMaxShardsPerMessage);
      if (!status.ok()) return status;
    } else if (field == kPackedShardsField && delimited) {
      is_packed = true;
      packed.clear();
      ok = ReadBytes(input, packed);
    } else if (field == kIndicesField && (varint || delimited)) {
      ok = ReadNumbers(input, delimited, kMaxShards, indices_);
    } else if (field == kWantedField && (varint || delimited)) {
      ok = ReadNumbers(input, delimited, kMaxShards, wanted_);
    } else if (field == kStripesField && varint) {
      ok = input.ReadVarint32(&stripes);
    } else if (field == kChecksumsField && (fixed32 || delimited)) {
      ok = ReadChecksums(input, delimited, checksums_);
    } else if (field == kRegionField && fixed64) {
      ok = input.ReadLittleEndian64(&region_);
    } else if (field == kOffsetsField && (varint || delimited)) {
      ok = ReadNumbers(input, delimited, kMaxShardsPerMessage, offsets_);
    } else if (field == kLengthsField && (varint || delimited)) {
      ok = ReadNumbers(input, delimited, kMaxShardsPerMessage, lengths_);
    } else if (field == kOutputOffsetsField && (varint || delimited)) {
      ok = ReadNumbers(input, delimited, kMaxShardsPerMessage, output_offsets_);
    } else {
      ok = WireFormatLite::SkipField(&input, tag);
    }
    if (!ok) return malformed();
  }

  if (stripes > kMaxStripesPerMessage) {
    return InvalidField("stripes", stripes, absl::StrCat("at most ", kMaxStripesPerMessage));
  }
  if (stripes != 0) stripes_ = stripes;
  if (absl::Status status = CheckCount("present", indices_.size()); !status.ok()) return status;
  if (absl::Status status = CheckCount("wanted", wanted_.size()); !status.ok()) return status;
  if (is_packed && !ends.empty()) {
    return InvalidField("shards", "shards and packed_shards", "one of them");
  }
  const bool has_places = !offsets_.empty() || !lengths_.empty() || !output_offsets_.empty();
  if (region_ != 0 && (is_packed || !ends.empty())) {
    return InvalidField("region", "a region, and shards in the message", "one of them");
  }
  if (region_ == 0 && has_places) {
    return InvalidField("region", region_, "the id of the region that offsets and lengths are of");
  }
  absl::Status status = region_ != 0 ? CheckPlaces()
                        : is_packed  ? SplitPacked(packed)
                                     : JoinRepeated(ends);
  const size_t shards = region_ != 0 ? offsets_.size() : shards_.size();
  if (status.ok() && !checksums_.empty() && checksums_.size() != shards) {
    return InvalidField("checksums", checksums_.size(),
                        absl::StrCat("none, or one for each of ", shards, " shards"));
  }
  return status;
}

absl::Status StripeMessage::CheckPlaces() {
  form_ = ShardForm::kRegion;
  const size_t most = kMaxShards * stripes_;
  if (offsets_.empty()) return InvalidField("offsets", "none", "one for each shard");
  absl::Status status = CheckCount("offsets", offsets_.size(), most);
  if (status.ok()) status = CheckCount("output_offsets", output_offsets_.size(), most);
  if (!status.ok()) return status;
  if (offsets_.size() % stripes_ != 0) {
    return InvalidField("offsets", offsets_.size(),
                        absl::StrCat("as many for each of ", stripes_, " stripes"));
  }
  if (!lengths_.empty() && lengths_.size() != offsets_.size()) {
    return InvalidField("lengths", lengths_.size(),
                        absl::StrCat("none, or one for each of ", offsets_.size(), " shards"));
  }
  if (shard_bytes_ == 0) return InvalidField("shard_bytes", 0, "at least 1 byte");
  return absl::OkStatus();
}

void StripeMessage::SetShards(absl::Span<const size_t> ends) {
  shards_.reserve(ends.size());
  size_t begin = 0;
  for (size_t end : ends) {
    shards_.emplace_back(segments_.data() + begin, end - begin);
    begin = end;
  }
}

absl::Status StripeMessage::JoinRepeated(absl::Span<const size_t> ends) {
  form_ = ShardForm::kRepeated;
  if (ends.empty()) return InvalidField("shards", "none", "the shards of a stripe");
  if (absl::Status status = CheckCount("shards", ends.size(), kMaxShards * stripes_);
      !status.ok()) {
    return status;
  }
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
  absl::Status status = CheckCount("packed_shards", count, kMaxShards * stripes_);
  if (!status.ok()) return status;

  std::vector<size_t> ends;
  ends.reserve(count);
  segments_.reserve(packed.size() + count);
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
