#include "parity/shardfile/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scratch.h"

namespace parity::shardfile {
namespace {

using ::testing::HasSubstr;

constexpr auto kReedSolomon = codec::Code::kReedSolomon;

TEST(Layout, CutsTheObjectIntoStripesWithoutGapsOrOverlap) {
  for (uint64_t k : {1, 2, 3, 7}) {
    const uint64_t stripe = k * kTestCellBytes;
    for (uint64_t object :
         {uint64_t{0}, uint64_t{1}, k - 1, k, k + 1, stripe - 1, stripe, stripe + 1, 3 * stripe - 1,
          3 * stripe, 3 * stripe + 1, 3 * stripe + k * kTestBlockBytes,
          3 * stripe + k * kTestBlockBytes + 1}) {
      SCOPED_TRACE(std::to_string(k) + " data shards, " + std::to_string(object) + " bytes");
      const Layout layout = MakeLayout(MakeGeometry(kReedSolomon, static_cast<uint32_t>(k), 2),
                                       kTestBlockBytes, kTestCellBytes, object);
      uint64_t object_bytes = 0;
      uint64_t shard_bytes = 0;
      uint64_t file_bytes = kHeaderBytes;
      for (uint64_t s = 0; s < layout.stripes(); ++s) {
        EXPECT_EQ(layout.object_offset(s), object_bytes);
        EXPECT_EQ(layout.shard_offset(s), shard_bytes);
        EXPECT_EQ(layout.record_offset(s), file_bytes);
        uint32_t cell_bytes = 0;
        for (uint32_t block = 0; block < layout.blocks(s); ++block) {
          EXPECT_GT(layout.block_bytes(s, block), 0u);
          EXPECT_LE(layout.block_bytes(s, block), kTestBlockBytes);
          cell_bytes += layout.block_bytes(s, block);
        }
        EXPECT_EQ(cell_bytes, layout.cell_bytes(s));
        EXPECT_GT(layout.data_bytes(s), 0u);
        // Less than one byte of padding for each shard.
        EXPECT_LE(layout.data_bytes(s), cell_bytes * k);
        EXPECT_LT(cell_bytes * k - layout.data_bytes(s), k);
        object_bytes += layout.data_bytes(s);
        shard_bytes += cell_bytes;
        file_bytes += cell_bytes;
        EXPECT_EQ(layout.checksum_offset(s), file_bytes);
        file_bytes += uint64_t{layout.blocks(s)} * kChecksumBytes;
      }
      EXPECT_EQ(object_bytes, object);
      EXPECT_EQ(shard_bytes, layout.shard_bytes());
      EXPECT_EQ(file_bytes, layout.file_bytes());
    }
  }
}

TEST(Layout, HasOneStripeMoreForOneByteMore) {
  const codec::Geometry geometry = MakeGeometry(kReedSolomon, 4, 2);
  const uint64_t stripe = 4 * kTestCellBytes;
  const auto stripes = [&](uint64_t object) {
    return MakeLayout(geometry, kTestBlockBytes, kTestCellBytes, object).stripes();
  };
  EXPECT_EQ(stripes(0), 0u);
  EXPECT_EQ(stripes(1), 1u);
  EXPECT_EQ(stripes(stripe), 1u);
  EXPECT_EQ(stripes(stripe + 1), 2u);
}

TEST(Layout, DoesNotOverflowAtItsLimits) {
  const Layout one = MakeLayout(MakeGeometry(codec::Code::kXor, 1, 1), kMinBlockBytes,
                                kMinBlockBytes, kMaxObjectBytes);
  EXPECT_EQ(one.stripes(), kMaxObjectBytes / kMinBlockBytes);
  EXPECT_EQ(one.shard_bytes(), kMaxObjectBytes);
  EXPECT_EQ(one.file_bytes(), kHeaderBytes + kMaxObjectBytes / 512 * 516);
  EXPECT_EQ(one.record_offset(one.stripes() - 1) + 516, one.file_bytes());

  const Layout wide =
      MakeLayout(MakeGeometry(kReedSolomon, 254, 1), 1 << 16, 1 << 17, kMaxObjectBytes);
  const uint64_t last = wide.stripes() - 1;
  EXPECT_EQ(wide.object_offset(last) + wide.data_bytes(last), kMaxObjectBytes);
  EXPECT_EQ(wide.checksum_offset(last) + uint64_t{wide.blocks(last)} * kChecksumBytes,
            wide.file_bytes());
}

TEST(Layout, RefusesBadSizesNamingTheField) {
  const codec::Geometry geometry = MakeGeometry(kReedSolomon, 4, 2);
  const auto error = [&](uint32_t block_bytes, uint32_t cell_bytes, uint64_t object_bytes) {
    const absl::StatusOr<Layout> layout =
        Layout::Make(geometry, block_bytes, cell_bytes, object_bytes);
    EXPECT_EQ(layout.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(layout.status().message());
  };
  EXPECT_THAT(error(0, 1024, 1), HasSubstr("block_bytes: got 0,"));
  EXPECT_THAT(error(256, 1024, 1), HasSubstr("block_bytes: got 256,"));
  EXPECT_THAT(error(768, 1536, 1), HasSubstr("block_bytes: got 768,"));
  EXPECT_THAT(error(512, 0, 1), HasSubstr("cell_bytes: got 0,"));
  EXPECT_THAT(error(512, 1000, 1), HasSubstr("cell_bytes: got 1000,"));
  EXPECT_THAT(error(512, (32 << 20) / 6 / 512 * 512 + 512, 1), HasSubstr("cell_bytes"));
  EXPECT_THAT(error(1u << 31, 1u << 31, 1), HasSubstr("cell_bytes"));
  EXPECT_THAT(error(512, 1024, kMaxObjectBytes + 1), HasSubstr("object_bytes"));
  EXPECT_THAT(error(512, 1024, UINT64_MAX), HasSubstr("object_bytes"));
  EXPECT_TRUE(Layout::Make(geometry, 512, (32 << 20) / 6 / 512 * 512, kMaxObjectBytes).ok());
}

TEST(Layout, RefusesACustomMatrix) {
  const absl::Status status =
      Layout::Make(codec::Geometry::MakeCustom(2, 1, {1, 2}).value(), 512, 512, 1).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "matrix: got custom, want one with a name: a shard file has no room for its factors");
}

TEST(DefaultCellBytes, KeepsStripesSmall) {
  const auto default_cell_bytes = [](uint32_t k, uint32_t m) {
    return DefaultCellBytes(MakeGeometry(kReedSolomon, k, m));
  };
  EXPECT_EQ(default_cell_bytes(1, 1), 4u << 20);
  EXPECT_EQ(default_cell_bytes(4, 2), 1u << 20);
  EXPECT_EQ(default_cell_bytes(6, 2), 1u << 20);
  EXPECT_EQ(default_cell_bytes(6, 3), 1u << 19);
  EXPECT_EQ(default_cell_bytes(1, 254), 1u << 16);
  EXPECT_EQ(default_cell_bytes(255, 1), 1u << 16);
  for (uint32_t k = 1; k <= codec::Geometry::kMaxDataShards; ++k) {
    const codec::Geometry geometry = MakeGeometry(kReedSolomon, k, 1);
    EXPECT_TRUE(Layout::Make(geometry, kDefaultBlockBytes, DefaultCellBytes(geometry), 1).ok())
        << k;
  }
}

}  // namespace
}  // namespace parity::shardfile
