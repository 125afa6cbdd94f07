#include "parity/shardfile/header.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "little_endian.h"
#include "parity/checksum/crc32c.h"
#include "parity/codec/field_error.h"

namespace parity::shardfile {
namespace {

// The first byte is no text and the last one a line feed: a transfer that takes the file for text
// damages them.
constexpr std::array<uint8_t, 8> kMagic = {0x89, 'P', 'A', 'R', 'I', 'T', 'Y', '\n'};
constexpr uint32_t kAlgorithmCrc32c = 1;

// Offsets of the fields.
constexpr size_t kFormatVersionAt = 8;
constexpr size_t kHeaderBytesAt = 12;
constexpr size_t kObjectIdAt = 16;
constexpr size_t kAlgorithmAt = 32;
constexpr size_t kCodeAt = 36;
constexpr size_t kMatrixAt = 40;
constexpr size_t kDataShardsAt = 44;
constexpr size_t kParityShardsAt = 48;
constexpr size_t kIndexAt = 52;
constexpr size_t kBlockBytesAt = 56;
constexpr size_t kCellBytesAt = 60;
constexpr size_t kObjectBytesAt = 64;
constexpr size_t kShardBytesAt = 72;
constexpr size_t kReservedAt = 80;
constexpr size_t kChecksumAt = kHeaderBytes - kChecksumBytes;

uint32_t Load32(absl::Span<const uint8_t> bytes, size_t at) {
  return LoadLittleEndian<uint32_t>(bytes.data() + at);
}

std::string Hex(uint32_t value) { return absl::StrCat("0x", absl::Hex(value, absl::kZeroPad8)); }

absl::Status Damaged(std::string_view field, std::string_view got, std::string_view want) {
  return codec::FieldError(absl::StatusCode::kDataLoss, field, got, want);
}

absl::Status Refused(std::string_view field, uint64_t got, std::string_view want) {
  return codec::FieldError(absl::StatusCode::kUnimplemented, field, absl::StrCat(got), want);
}

// The same, of what Geometry or Layout refuses.
absl::Status Refused(const absl::Status& status) {
  return absl::UnimplementedError(status.message());
}

std::optional<codec::Code> CodeFromNumber(uint32_t number) {
  for (codec::Code code : {codec::Code::kXor, codec::Code::kRaid6, codec::Code::kReedSolomon}) {
    if (number == static_cast<uint32_t>(code)) return code;
  }
  return std::nullopt;
}

// A matrix that the code has and a header has room for.
std::optional<codec::Matrix> MatrixFromNumber(codec::Code code, uint32_t number) {
  if (code != codec::Code::kReedSolomon) {
    return number == 0 ? std::optional<codec::Matrix>(codec::Matrix::kNone) : std::nullopt;
  }
  for (codec::Matrix matrix : {codec::Matrix::kCauchy, codec::Matrix::kVandermonde,
                               codec::Matrix::kSystematicVandermonde}) {
    if (number == static_cast<uint32_t>(matrix)) return matrix;
  }
  return std::nullopt;
}

}  // namespace

std::array<uint8_t, kHeaderBytes> EncodeHeader(const Header& header) {
  const Layout& layout = header.layout;
  const codec::Geometry& geometry = layout.geometry();
  std::array<uint8_t, kHeaderBytes> bytes{};
  const auto store32 = [&bytes](size_t at, uint32_t value) {
    StoreLittleEndian(value, bytes.data() + at);
  };
  std::copy(kMagic.begin(), kMagic.end(), bytes.begin());
  store32(kFormatVersionAt, kFormatVersion);
  store32(kHeaderBytesAt, kHeaderBytes);
  std::copy(header.object_id.bytes.begin(), header.object_id.bytes.end(),
            bytes.begin() + kObjectIdAt);
  store32(kAlgorithmAt, kAlgorithmCrc32c);
  store32(kCodeAt, static_cast<uint32_t>(geometry.code()));
  store32(kMatrixAt, static_cast<uint32_t>(geometry.matrix()));
  store32(kDataShardsAt, geometry.data_shards());
  store32(kParityShardsAt, geometry.parity_shards());
  store32(kIndexAt, header.index);
  store32(kBlockBytesAt, layout.block_bytes());
  store32(kCellBytesAt, layout.cell_bytes());
  StoreLittleEndian(layout.object_bytes(), bytes.data() + kObjectBytesAt);
  StoreLittleEndian(layout.shard_bytes(), bytes.data() + kShardBytesAt);
  store32(kChecksumAt, checksum::Crc32c(absl::MakeConstSpan(bytes).first(kChecksumAt)));
  return bytes;
}

absl::StatusOr<Header> ParseHeader(absl::Span<const uint8_t> bytes) {
  if (bytes.size() < kHeaderBytes) {
    return Damaged("header", absl::StrCat(bytes.size(), " bytes"),
                   absl::StrCat(kHeaderBytes, " bytes"));
  }
  bytes = bytes.first(kHeaderBytes);
  if (!std::equal(kMagic.begin(), kMagic.end(), bytes.begin())) {
    const auto hex = [](const uint8_t* magic) {
      return absl::BytesToHexString(
          absl::string_view(reinterpret_cast<const char*>(magic), kMagic.size()));
    };
    return Damaged("magic", hex(bytes.data()), hex(kMagic.data()));
  }
  // Every version keeps this checksum where it is. So a wrong one is damage, even in the version.
  const uint32_t computed = checksum::Crc32c(bytes.first(kChecksumAt));
  if (Load32(bytes, kChecksumAt) != computed) {
    return Damaged("header_checksum", Hex(Load32(bytes, kChecksumAt)), Hex(computed));
  }
  if (const uint32_t got = Load32(bytes, kFormatVersionAt); got != kFormatVersion) {
    return Refused("format_version", got, absl::StrCat(kFormatVersion));
  }
  if (const uint32_t got = Load32(bytes, kHeaderBytesAt); got != kHeaderBytes) {
    return Refused("header_bytes", got, absl::StrCat(kHeaderBytes));
  }
  if (const uint32_t got = Load32(bytes, kAlgorithmAt); got != kAlgorithmCrc32c) {
    return Refused("checksum_algorithm", got, "1 (CRC32C)");
  }
  const std::optional<codec::Code> code = CodeFromNumber(Load32(bytes, kCodeAt));
  if (!code) return Refused("code", Load32(bytes, kCodeAt), "1 (xor), 2 (raid6) or 3 (rs)");

  const std::optional<codec::Matrix> matrix = MatrixFromNumber(*code, Load32(bytes, kMatrixAt));
  if (!matrix) {
    return Refused("matrix", Load32(bytes, kMatrixAt),
                   *code == codec::Code::kReedSolomon
                       ? "1 (cauchy), 2 (vandermonde) or 3 (systematic-vandermonde)"
                       : "0 (none)");
  }
  const absl::StatusOr<codec::Geometry> geometry = codec::Geometry::Make(
      *code, Load32(bytes, kDataShardsAt), Load32(bytes, kParityShardsAt), *matrix);
  if (!geometry.ok()) return Refused(geometry.status());
  const uint32_t index = Load32(bytes, kIndexAt);
  if (index >= geometry->total_shards()) {
    return Refused("index", index, absl::StrCat("less than ", geometry->total_shards()));
  }
  const absl::StatusOr<Layout> layout =
      Layout::Make(*geometry, Load32(bytes, kBlockBytesAt), Load32(bytes, kCellBytesAt),
                   LoadLittleEndian<uint64_t>(bytes.data() + kObjectBytesAt));
  if (!layout.ok()) return Refused(layout.status());
  const auto shard_bytes = LoadLittleEndian<uint64_t>(bytes.data() + kShardBytesAt);
  if (shard_bytes != layout->shard_bytes()) {
    return Refused("shard_bytes", shard_bytes, absl::StrCat(layout->shard_bytes()));
  }
  for (size_t at = kReservedAt; at < kChecksumAt; ++at) {
    if (bytes[at] != 0) {
      return Refused(absl::StrCat("reserved[", at - kReservedAt, "]"), bytes[at], "0");
    }
  }
  ObjectId object_id;
  std::copy_n(bytes.begin() + kObjectIdAt, object_id.bytes.size(), object_id.bytes.begin());
  return Header{object_id, *layout, index};
}

}  // namespace parity::shardfile
