#include <deque>
#include <optional>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory_object.h"
#include "parity/client/object.h"
#include "parity/codec/field_error.h"

namespace parity::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

class Read : public testing::Test {
 protected:
  static constexpr uint32_t kCell = 64;
  static constexpr size_t kStripe = 3 * kCell;
  static constexpr size_t kBytes = 8 * kStripe + 5;

  ObjectRead Run(const std::vector<uint32_t>& lost = {}, uint64_t offset = 0,
                 uint64_t bytes = kBytes) {
    for (size_t i = 0; i < shards_.size(); ++i) shards_[i].ForgetReads();
    return ReadObject(coder_, encoded_.layout, shards_.readers(lost), offset, bytes, sink_,
                      options_);
  }
  static MemoryShard::Hook FailAt(uint64_t stripe, const absl::Status& error) {
    return [stripe, error](MemoryShard::Range range) {
      return range.first / kCell == stripe ? error : absl::OkStatus();
    };
  }

  EncodedObject encoded_{ReedSolomon(3, 2), kCell, kBytes};
  MemoryShards& shards_ = encoded_.shards;
  CheckedCoder coder_;
  MemorySink sink_;
  ObjectOptions options_;
};

TEST_F(Read, WholeShardsAreReadWithoutParityOrCoder) {
  ASSERT_TRUE(Run().status.ok());
  EXPECT_EQ(coder_.calls(), 0);
  EXPECT_EQ(shards_[0].reads().size(), 9u);
  EXPECT_THAT(shards_[3].reads(), IsEmpty());
  EXPECT_THAT(shards_[4].reads(), IsEmpty());
}

TEST_F(Read, RangeInOneCellReadsThoseBytesAlone) {
  ASSERT_TRUE(Run({}, kStripe + kCell + 10, 20).status.ok());
  EXPECT_THAT(shards_[1].reads(), ElementsAre(Pair(kCell + 10, 20)));
  for (const size_t i : {0, 2, 3, 4}) EXPECT_THAT(shards_[i].reads(), IsEmpty()) << i;
}

TEST_F(Read, DegradedRangeReadsAndComputesThoseColumnsAlone) {
  ASSERT_TRUE(Run({1}, kStripe + kCell + 10, 20).status.ok());
  EXPECT_EQ(sink_.bytes(), Part(encoded_.bytes, kStripe + kCell + 10, 20));
  for (const size_t i : {0, 2, 3}) {
    EXPECT_THAT(shards_[i].reads(), ElementsAre(Pair(kCell + 10, 20))) << i;
  }
  EXPECT_THAT(shards_[4].reads(), IsEmpty());
  EXPECT_THAT(coder_.requests(), ElementsAre(Pair(Operation::kReconstruct, 20)));
}

// From column 50 of shard 0 to column 20 of shard 1, which is lost: 20 columns are to be computed,
// and of shard 0 they are read besides the range.
TEST_F(Read, RangeOverTwoCellsComputesTheLostOnesColumns) {
  ASSERT_TRUE(Run({1}, 50, kCell - 50 + 20).status.ok());
  EXPECT_EQ(sink_.bytes(), Part(encoded_.bytes, 50, kCell - 50 + 20));
  EXPECT_THAT(shards_[0].reads(), ElementsAre(Pair(50, 14), Pair(0, 20)));
  EXPECT_THAT(shards_[2].reads(), ElementsAre(Pair(0, 20)));
  EXPECT_THAT(coder_.requests(), ElementsAre(Pair(Operation::kReconstruct, 20)));
}

TEST_F(Read, NothingIsReadTwiceForALostCellInTheMiddle) {
  ASSERT_TRUE(Run({1}, 50, kStripe - 100).status.ok());
  EXPECT_EQ(sink_.bytes(), Part(encoded_.bytes, 50, kStripe - 100));
  EXPECT_THAT(shards_[0].reads(), ElementsAre(Pair(50, 14), Pair(0, 50)));
  EXPECT_THAT(shards_[2].reads(), ElementsAre(Pair(0, 14), Pair(14, 50)));
  EXPECT_THAT(shards_[3].reads(), ElementsAre(Pair(0, 64)));
  EXPECT_THAT(coder_.requests(), ElementsAre(Pair(Operation::kReconstruct, 64)));
}

TEST_F(Read, DamageInOneStripeIsReconstructedAndReported) {
  shards_[1].SetHook(FailAt(4, absl::DataLossError("checksum")));
  const ObjectRead read = Run();
  ASSERT_TRUE(read.status.ok()) << read.status;
  EXPECT_EQ(sink_.bytes(), encoded_.bytes);
  EXPECT_EQ(read.reconstructed_stripes, 1u);
  ASSERT_EQ(read.failed_shards.size(), 1u);
  EXPECT_EQ(read.failed_shards[0].shard, 1u);
  EXPECT_EQ(read.failed_shards[0].stripe, 4u);
  EXPECT_EQ(read.failed_shards[0].error, absl::DataLossError("checksum"));
  EXPECT_EQ(shards_[1].reads().size(), 9u);
}

TEST_F(Read, DamageBeyondMShardsDoesNoHarmWhereItDoesNotCoincide) {
  for (uint32_t i = 0; i < 5; ++i) shards_[i].SetHook(FailAt(i, absl::DataLossError("checksum")));
  const ObjectRead read = Run();
  ASSERT_TRUE(read.status.ok()) << read.status;
  EXPECT_EQ(sink_.bytes(), encoded_.bytes);
  EXPECT_EQ(read.reconstructed_stripes, 3u);
}

TEST_F(Read, OfAShardsFailuresTheFirstStripesIsReported) {
  options_.stripes_in_flight = 1;
  shards_[1].SetHook([](MemoryShard::Range range) {
    return absl::DataLossError(absl::StrCat("stripe ", range.first / kCell));
  });
  const ObjectRead read = Run({}, 3 * kStripe, 3 * kStripe);
  ASSERT_TRUE(read.status.ok()) << read.status;
  EXPECT_EQ(sink_.bytes(), Part(encoded_.bytes, 3 * kStripe, 3 * kStripe));
  ASSERT_EQ(read.failed_shards.size(), 1u);
  EXPECT_EQ(read.failed_shards[0].stripe, 3u);
  EXPECT_EQ(read.failed_shards[0].error, absl::DataLossError("stripe 3"));
}

TEST_F(Read, ShardThatIsGoneIsAskedOnce) {
  options_.stripes_in_flight = 1;
  for (const absl::Status& error :
       {absl::NotFoundError("no file"), absl::UnavailableError("disk has gone"),
        absl::InternalError("?")}) {
    MemorySink other;
    shards_[0].SetHook([&](MemoryShard::Range range) {
      return range.first >= 3 * kCell ? error : absl::OkStatus();
    });
    shards_[0].ForgetReads();
    const ObjectRead read =
        ReadObject(coder_, encoded_.layout, shards_.readers(), 0, kBytes, other, options_);
    ASSERT_TRUE(read.status.ok()) << read.status;
    EXPECT_EQ(other.bytes(), encoded_.bytes);
    EXPECT_EQ(read.reconstructed_stripes, 6u);
    EXPECT_EQ(shards_[0].reads().size(), 4u);
    ASSERT_EQ(read.failed_shards.size(), 1u);
    EXPECT_EQ(read.failed_shards[0].stripe, 3u);
    EXPECT_EQ(read.failed_shards[0].error, error);
  }
}

// Shards 0 and 1 fail in stripe 0 as if they were gone; shards 3 and 4 are damaged in stripe 2.
TEST_F(Read, ShardThatSeemedGoneIsAskedAgainWhereItIsNeeded) {
  options_.stripes_in_flight = 1;
  shards_[0].SetHook(FailAt(0, absl::UnavailableError("overloaded")));
  shards_[1].SetHook(FailAt(0, absl::UnavailableError("overloaded")));
  shards_[3].SetHook(FailAt(2, absl::DataLossError("checksum")));
  shards_[4].SetHook(FailAt(2, absl::DataLossError("checksum")));
  const ObjectRead read = Run();
  ASSERT_TRUE(read.status.ok()) << read.status;
  EXPECT_EQ(sink_.bytes(), encoded_.bytes);
  EXPECT_EQ(read.failed_shards.size(), 3u);
  EXPECT_EQ(read.reconstructed_stripes, 8u);  // stripe 2 has all its data
}

TEST_F(Read, ParityThatFailsIsReplacedByOther) {
  shards_[3].SetHook([](MemoryShard::Range) { return absl::DataLossError("checksum"); });
  const ObjectRead read = Run({0});
  ASSERT_TRUE(read.status.ok()) << read.status;
  EXPECT_EQ(sink_.bytes(), encoded_.bytes);
  ASSERT_EQ(read.failed_shards.size(), 1u);
  EXPECT_EQ(read.failed_shards[0].shard, 3u);
}

TEST_F(Read, TooManyFailuresNameTheStripeAndTheShards) {
  options_.stripes_in_flight = 2;
  shards_[1].SetHook(FailAt(5, absl::DataLossError("checksum")));
  shards_[4].SetHook(FailAt(5, absl::DataLossError("checksum")));
  const ObjectRead read = Run({0});
  EXPECT_TRUE(absl::IsDataLoss(read.status)) << read.status;
  EXPECT_THAT(std::string(read.status.message()), HasSubstr("stripe 5: 3 of 5"));
  EXPECT_THAT(std::string(read.status.message()), HasSubstr("(0, 1, 4)"));
  EXPECT_EQ(read.bytes_written, 5 * kStripe);
  EXPECT_EQ(sink_.bytes(), Part(encoded_.bytes, 0, 5 * kStripe));
  EXPECT_EQ(read.reconstructed_stripes, 5u);
  EXPECT_EQ(read.failed_shards.size(), 2u);
}

TEST_F(Read, LocalGroupIsRepairedFromItsGroupAlone) {
  // Shards 0 and 1 with parity 4, shards 2 and 3 with parity 5.
  const codec::Geometry groups =
      *codec::Geometry::MakeCustom(4, 2, std::vector<uint8_t>{1, 1, 0, 0, 0, 0, 1, 1});
  EncodedObject object(groups, kCell, 1000);
  const ObjectRead read =
      ReadObject(coder_, object.layout, object.shards.readers({1}), kCell, kCell, sink_, options_);
  ASSERT_TRUE(read.status.ok()) << read.status;
  EXPECT_EQ(sink_.bytes(), Part(object.bytes, kCell, kCell));
  for (const size_t i : {2, 3, 5}) EXPECT_THAT(object.shards[i].reads(), IsEmpty()) << i;
  EXPECT_EQ(object.shards[0].reads().size(), 1u);
  EXPECT_EQ(object.shards[4].reads().size(), 1u);
}

TEST_F(Read, ErrorOfTheSinkIsReturned) {
  sink_.FailAt(2 * kStripe, absl::UnavailableError("client has gone"));
  const ObjectRead read = Run();
  EXPECT_EQ(read.status, absl::UnavailableError("client has gone"));
  EXPECT_EQ(read.bytes_written, 2 * kStripe);
}

TEST_F(Read, ErrorOfTheCoderIsReturnedByOrderOfStripes) {
  coder_.SetHook([](const Request& request, const CallOptions&) {
    return request.shard_bytes == kCell ? absl::InternalError("kernel") : absl::OkStatus();
  });
  const ObjectRead read = Run({2});
  EXPECT_EQ(read.status, absl::InternalError("kernel"));
  EXPECT_EQ(read.bytes_written, 0u);
}

TEST_F(Read, StripesAreReadAtOnceAndWrittenInOrder) {
  options_.stripes_in_flight = 3;
  Counter others;
  coder_.SetHook([&](const Request& request, const CallOptions&) {
    // The first stripe is the last of three.
    const bool is_first = request.shards[0][0] == shards_[1].bytes()[0];
    if (!is_first) others.Add();
    return !is_first || others.Await(2) ? absl::OkStatus() : absl::InternalError("alone");
  });
  const ObjectRead read = Run({0});
  ASSERT_TRUE(read.status.ok()) << read.status;
  EXPECT_EQ(sink_.bytes(), encoded_.bytes);
  EXPECT_LE(coder_.most_at_once(), 3);
  EXPECT_GE(coder_.most_at_once(), 2);
}

TEST_F(Read, ProgressCountsTheRange) {
  std::vector<std::pair<uint64_t, uint64_t>> told;
  options_.progress = [&](uint64_t done, std::optional<uint64_t> total) {
    told.emplace_back(done, total.value_or(0));
  };
  ASSERT_TRUE(Run({}, kStripe - 10, kStripe + 20).status.ok());
  EXPECT_THAT(told, ElementsAre(Pair(10, kStripe + 20), Pair(kStripe + 10, kStripe + 20),
                                Pair(kStripe + 20, kStripe + 20)));
}

TEST_F(Read, MemoryIsBounded) {
  size_t asked = 0;
  options_.stripes_in_flight = 2;
  std::deque<std::vector<uint8_t>> memory;
  options_.allocate = [&](size_t bytes) {
    asked += bytes;
    memory.emplace_back(bytes);
    return Buffer(memory.back().data(), bytes, false, nullptr);
  };
  ASSERT_TRUE(Run({0}).status.ok());
  EXPECT_GT(asked, 0u);
  EXPECT_LE(asked, size_t{2} * 5 * kCell);
  EXPECT_EQ(sink_.bytes(), encoded_.bytes);
}

}  // namespace
}  // namespace parity::client
