#include "parity/shardfile/header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scratch.h"

namespace parity::shardfile {
namespace {

using ::testing::HasSubstr;

ObjectId SomeId() {
  ObjectId id;
  for (size_t i = 0; i < id.bytes.size(); ++i) id.bytes[i] = static_cast<uint8_t>(0xa0 + i);
  return id;
}

// 4+2 Reed-Solomon, an object of 10,000 bytes: one full stripe of 8,192 bytes, then cells of 452.
Bytes SomeHeader() {
  const Layout layout = MakeLayout(MakeGeometry(codec::Code::kReedSolomon, 4, 2), kTestBlockBytes,
                                   kTestCellBytes, 10000);
  const auto bytes = EncodeHeader({SomeId(), layout, 5});
  return Bytes(bytes.begin(), bytes.end());
}

TEST(Header, SurvivesARoundTrip) {
  for (const codec::Geometry& geometry :
       {MakeGeometry(codec::Code::kXor, 3, 1), MakeGeometry(codec::Code::kRaid6, 3, 2),
        MakeGeometry(codec::Code::kReedSolomon, 3, 2, codec::Matrix::kCauchy),
        MakeGeometry(codec::Code::kReedSolomon, 3, 2, codec::Matrix::kVandermonde),
        MakeGeometry(codec::Code::kReedSolomon, 3, 2, codec::Matrix::kSystematicVandermonde),
        MakeGeometry(codec::Code::kReedSolomon, 128, 128),
        MakeGeometry(codec::Code::kRaid6, 255, 2)}) {
    for (uint64_t object_bytes : {uint64_t{0}, uint64_t{12345}, kMaxObjectBytes}) {
      for (uint32_t index = 0; index < geometry.total_shards(); ++index) {
        const Layout layout =
            MakeLayout(geometry, kDefaultBlockBytes, DefaultCellBytes(geometry), object_bytes);
        const absl::StatusOr<Header> header = ParseHeader(EncodeHeader({SomeId(), layout, index}));
        ASSERT_TRUE(header.ok()) << header.status();
        EXPECT_EQ(header->object_id, SomeId());
        EXPECT_EQ(header->layout, layout);
        EXPECT_EQ(header->index, index);
      }
    }
  }
}

TEST(Header, IsFollowedByAnything) {
  Bytes bytes = SomeHeader();
  bytes.resize(1000, 0xff);
  EXPECT_TRUE(ParseHeader(bytes).ok());
}

TEST(Header, CutOffAnywhereIsDamage) {
  const Bytes bytes = SomeHeader();
  for (size_t length = 0; length < bytes.size(); ++length) {
    const absl::Status status = ParseHeader(absl::MakeConstSpan(bytes).first(length)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << length;
    EXPECT_THAT(status.message(), HasSubstr("want 128 bytes"));
  }
}

TEST(Header, WithAnyBitFlippedIsDamage) {
  const Bytes good = SomeHeader();
  for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
    Bytes bytes = good;
    bytes[bit / 8] ^= static_cast<uint8_t>(1 << (bit % 8));
    EXPECT_EQ(ParseHeader(bytes).status().code(), absl::StatusCode::kDataLoss) << "bit " << bit;
  }
}

struct RefusedField {
  const char* name;
  size_t offset;
  size_t bytes;
  uint64_t value;
  const char* message;
};

void PrintTo(const RefusedField& field, std::ostream* out) { *out << field.name; }

class HeaderField : public testing::TestWithParam<RefusedField> {};

// The checksum fits, so nothing is damaged; and still it must not be believed.
TEST_P(HeaderField, OutOfRangeIsRefusedByName) {
  Bytes bytes = SomeHeader();
  SetField(bytes, GetParam().offset, GetParam().value, GetParam().bytes);
  const absl::Status status = ParseHeader(bytes).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(status.message(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    , HeaderField,
    testing::Values(
        RefusedField{"OldVersion", 8, 4, 0, "format_version: got 0, want 1"},
        RefusedField{"NewVersion", 8, 4, 2, "format_version: got 2, want 1"},
        RefusedField{"HeaderBytes", 12, 4, 256, "header_bytes: got 256, want 128"},
        RefusedField{"Algorithm", 32, 4, 2, "checksum_algorithm: got 2, want 1 (CRC32C)"},
        RefusedField{"NoCode", 36, 4, 0, "code: got 0, want"},
        RefusedField{"NewCode", 36, 4, 4, "code: got 4, want"},
        RefusedField{"WideCode", 36, 4, 0x103, "code: got 259, want"},
        RefusedField{
            "NoMatrix", 40, 4, 0,
            "matrix: got 0, want 1 (cauchy), 2 (vandermonde) or 3 (systematic-vandermonde)"},
        RefusedField{"CustomMatrix", 40, 4, 4, "matrix: got 4, want 1 (cauchy), 2"},
        RefusedField{"NewMatrix", 40, 4, 5, "matrix: got 5, want 1 (cauchy), 2"},
        RefusedField{"WideMatrix", 40, 4, 0x101, "matrix: got 257, want 1 (cauchy), 2"},
        RefusedField{"NoData", 44, 4, 0, "data_shards: got 0"},
        RefusedField{"TooMuchData", 44, 4, 255, "shards: got"},
        RefusedField{"DataThatWouldOverflow", 44, 4, UINT32_MAX, "shards: got"},
        RefusedField{"NoParity", 48, 4, 0, "parity_shards: got 0"},
        RefusedField{"ParityThatWouldOverflow", 48, 4, UINT32_MAX - 2, "parity_shards: got"},
        RefusedField{"Index", 52, 4, 6, "index: got 6, want less than 6"},
        RefusedField{"BlockBytes", 56, 4, 1000, "block_bytes: got 1000, want"},
        RefusedField{"CellBytes", 60, 4, 1000, "cell_bytes: got 1000, want"},
        RefusedField{"HugeCell", 60, 4, 1u << 31, "cell_bytes: got"},
        RefusedField{"HugeObject", 64, 8, UINT64_MAX, "object_bytes: got"},
        RefusedField{"AnotherObject", 64, 8, 10001, "shard_bytes: got 2500, want 2501"},
        RefusedField{"ShardBytes", 72, 8, 2499, "shard_bytes: got 2499, want 2500"},
        RefusedField{"FirstReserved", 80, 4, 1, "reserved[0]: got 1, want 0"},
        RefusedField{"LastReserved", 120, 4, 0x80000000, "reserved[43]: got 128, want 0"}),
    [](const auto& test) { return test.param.name; });

TEST(Header, OfXorHasNoMatrix) {
  const Layout layout =
      MakeLayout(MakeGeometry(codec::Code::kXor, 4, 1), kTestBlockBytes, kTestCellBytes, 1);
  const auto header = EncodeHeader({SomeId(), layout, 0});
  Bytes bytes(header.begin(), header.end());
  SetField(bytes, 40, 1, 4);
  EXPECT_THAT(ParseHeader(bytes).status().message(), HasSubstr("matrix: got 1, want 0 (none)"));
}

TEST(ObjectId, IsHexadecimalAndNeverTheSame) {
  EXPECT_EQ(SomeId().ToString(), "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf");
  EXPECT_NE(ObjectId::Random().value(), ObjectId::Random().value());
}

}  // namespace
}  // namespace parity::shardfile
