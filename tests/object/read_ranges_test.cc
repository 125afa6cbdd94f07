#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory_object.h"
#include "parity/client/object.h"
#include "parity/codec/field_error.h"

namespace parity::client {
namespace {

using testing::IsEmpty;

class ReadPatterns : public testing::TestWithParam<std::pair<uint32_t, uint32_t>> {};

TEST_P(ReadPatterns, AnyKShardsWillDoAndFewerAreDataLoss) {
  constexpr uint32_t kCell = 16;
  const codec::Geometry geometry = ReedSolomon(GetParam().first, GetParam().second);
  const size_t full = size_t{kCell} * geometry.data_shards();
  CheckedCoder coder;
  for (const size_t size : {size_t{1}, size_t{kCell + 1}, full, 3 * full + kCell + 3}) {
    const EncodedObject encoded(geometry, kCell, size);
    for (uint32_t pattern = 0; pattern < 1u << geometry.total_shards(); ++pattern) {
      std::vector<uint32_t> lost;
      for (uint32_t i = 0; i < geometry.total_shards(); ++i) {
        if ((pattern & (1 << i)) != 0) lost.push_back(i);
      }
      MemorySink sink;
      const ObjectRead read =
          ReadObject(coder, encoded.layout, encoded.shards.readers(lost), 0, size, sink, {});
      SCOPED_TRACE(testing::Message() << size << " bytes, pattern " << pattern);
      EXPECT_THAT(read.failed_shards, IsEmpty());
      // Those of the shards that hold data of the object.
      const uint32_t cell = encoded.layout.cell_bytes(uint64_t{0});
      const uint32_t used = std::min<uint32_t>(geometry.data_shards(), (size + cell - 1) / cell);
      const bool is_degraded = (pattern & ((1 << used) - 1)) != 0;
      if (is_degraded && lost.size() > geometry.parity_shards()) {
        EXPECT_TRUE(absl::IsDataLoss(read.status)) << read.status;
      } else {
        ASSERT_TRUE(read.status.ok()) << read.status;
        EXPECT_EQ(sink.bytes(), encoded.bytes);
        EXPECT_EQ(read.bytes_written, size);
        EXPECT_EQ(read.reconstructed_stripes > 0, is_degraded);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Geometries, ReadPatterns,
                         testing::Values(std::pair(3, 2), std::pair(4, 2)));

TEST(ReadRanges, EveryRangeIsReadWholeOrDegraded) {
  constexpr uint32_t kCell = 5;
  // Two full stripes of 15 bytes and 7 bytes more.
  const EncodedObject encoded(ReedSolomon(3, 2), kCell, 37);
  CheckedCoder coder;
  for (const std::vector<uint32_t>& lost :
       std::vector<std::vector<uint32_t>>{{}, {0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {1, 4}}) {
    for (uint64_t offset = 0; offset <= 37; ++offset) {
      for (uint64_t bytes = 0; bytes <= 37 - offset; ++bytes) {
        MemorySink sink;
        ObjectOptions options;
        options.stripes_in_flight = 1 + bytes % 2;
        const ObjectRead read = ReadObject(coder, encoded.layout, encoded.shards.readers(lost),
                                           offset, bytes, sink, options);
        ASSERT_TRUE(read.status.ok()) << read.status;
        ASSERT_EQ(sink.bytes(), Part(encoded.bytes, offset, bytes)) << offset << " " << bytes;
        ASSERT_EQ(read.bytes_written, bytes);
      }
    }
  }
}

TEST(ReadRanges, BeyondTheObjectIsRefused) {
  const EncodedObject encoded(ReedSolomon(3, 2), 5, 37);
  CheckedCoder coder;
  MemorySink sink;
  const auto read = [&](uint64_t offset, uint64_t bytes) {
    return ReadObject(coder, encoded.layout, encoded.shards.readers(), offset, bytes, sink).status;
  };
  EXPECT_EQ(codec::FieldOf(read(38, 0)), "offset");
  EXPECT_EQ(codec::FieldOf(read(37, 1)), "bytes");
  EXPECT_EQ(codec::FieldOf(read(1, UINT64_MAX)), "bytes");
  EXPECT_TRUE(read(37, 0).ok());
  EXPECT_THAT(sink.bytes(), IsEmpty());
}

TEST(ReadRanges, WrongNumberOfShardsIsRefused) {
  const EncodedObject encoded(ReedSolomon(3, 2), 5, 37);
  CheckedCoder coder;
  MemorySink sink;
  const std::vector<ShardReader*> readers(4);
  EXPECT_EQ(codec::FieldOf(ReadObject(coder, encoded.layout, readers, 0, 1, sink).status),
            "shards");
}

}  // namespace
}  // namespace parity::client
