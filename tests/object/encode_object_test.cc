#include <algorithm>
#include <optional>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory_object.h"
#include "parity/client/local_coder.h"
#include "parity/client/object.h"
#include "parity/codec/field_error.h"

namespace parity::client {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr uint32_t kCell = 64;

// The shards as object_layout.h says, byte by byte.
std::vector<std::vector<uint8_t>> ExpectedShards(const ObjectLayout& layout,
                                                 const std::vector<uint8_t>& object) {
  const codec::Geometry& geometry = layout.geometry();
  const uint64_t k = geometry.data_shards();
  const uint64_t c = layout.cell_bytes();
  std::vector<std::vector<uint8_t>> shards(geometry.total_shards(),
                                           std::vector<uint8_t>(layout.shard_bytes()));
  for (uint64_t x = 0; x < object.size(); ++x) {
    const uint64_t s = x / (k * c);
    const uint64_t r = x - s * k * c;
    const uint64_t rest = object.size() - s * k * c;
    const uint64_t cell = rest >= k * c ? c : (rest + k - 1) / k;
    shards[r / cell][s * c + r % cell] = object[x];
  }
  if (layout.shard_bytes() == 0) return shards;
  const std::vector<ShardBytes> data(shards.begin(), shards.begin() + static_cast<ptrdiff_t>(k));
  std::vector<uint8_t*> parity;
  for (uint64_t i = k; i < shards.size(); ++i) parity.push_back(shards[i].data());
  EXPECT_TRUE((*MakeLocalCoder())->Encode(geometry, data, layout.shard_bytes(), parity).ok());
  return shards;
}

class EncodeSizes : public testing::TestWithParam<std::pair<uint32_t, uint32_t>> {};

TEST_P(EncodeSizes, ShardsAreAsTheLayoutSays) {
  const codec::Geometry geometry = ReedSolomon(GetParam().first, GetParam().second);
  const size_t full = size_t{kCell} * geometry.data_shards();
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{2}, size_t{kCell - 1}, size_t{kCell}, size_t{kCell + 1},
        full - 1, full, full + 1, 2 * full - 1, 2 * full, 7 * full + kCell, 9 * full}) {
    for (const bool is_known : {false, true}) {
      for (const uint32_t in_flight : {1, 3}) {
        SCOPED_TRACE(testing::Message()
                     << size << " bytes, known " << is_known << ", in flight " << in_flight);
        CheckedCoder coder;
        MemoryObject object(Noise(size));
        MemoryShards shards(geometry.total_shards());
        ObjectOptions options;
        options.cell_bytes = kCell;
        options.stripes_in_flight = in_flight;
        if (is_known) options.object_bytes = size;
        const auto layout = EncodeObject(coder, geometry, object, shards.writers(), options);
        ASSERT_TRUE(layout.ok()) << layout.status();
        EXPECT_EQ(*layout, *ObjectLayout::Make(geometry, kCell, size));
        EXPECT_EQ(object.has_ended(), !is_known);
        const auto expected = ExpectedShards(*layout, Noise(size));
        for (size_t i = 0; i < shards.size(); ++i) EXPECT_EQ(shards[i].bytes(), expected[i]) << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Geometries, EncodeSizes,
                         testing::Values(std::pair(1, 1), std::pair(3, 2), std::pair(4, 2)));

class Encode : public testing::Test {
 protected:
  // Of 8 full stripes and a bit.
  Encode() : object_(Noise(kBytes)) {
    options_.cell_bytes = kCell;
    options_.stripes_in_flight = 3;
  }
  absl::StatusOr<ObjectLayout> Run() {
    return EncodeObject(coder_, geometry_, object_, shards_.writers(), options_);
  }

  static constexpr size_t kStripe = 3 * kCell;
  static constexpr size_t kBytes = 8 * kStripe + 5;
  const codec::Geometry geometry_ = ReedSolomon(3, 2);
  CheckedCoder coder_;
  MemoryObject object_;
  MemoryShards shards_{5};
  ObjectOptions options_;
};

TEST_F(Encode, ComputesStripesAtOnceAsManyAsMayBe) {
  Counter started;
  coder_.SetHook([&](const Request& request, const CallOptions&) {
    started.Add();
    // All but the last wait for each other, in threes.
    return request.shard_bytes < kCell || started.Await(3)
               ? absl::OkStatus()
               : absl::InternalError("not three at once");
  });
  const auto layout = Run();
  EXPECT_TRUE(layout.ok()) << layout.status();
  EXPECT_EQ(coder_.most_at_once(), 3);
  EXPECT_EQ(coder_.calls(), 9);
}

TEST_F(Encode, MemoryIsBoundedAndGivenBack) {
  int outstanding = 0;
  int most = 0;
  std::vector<size_t> sizes;
  options_.allocate = [&](size_t bytes) -> absl::StatusOr<Buffer> {
    most = std::max(most, ++outstanding);
    sizes.push_back(bytes);
    auto* const memory = new std::vector<uint8_t>(bytes);
    return Buffer(memory->data(), bytes, false,
                  std::shared_ptr<void>(memory, [&outstanding, memory](void*) {
                    delete memory;
                    --outstanding;
                  }));
  };
  const auto layout = Run();
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_EQ(outstanding, 0);
  EXPECT_GT(most, 0);
  EXPECT_LE(sizes.size(), 3u);
  for (const size_t bytes : sizes) EXPECT_EQ(bytes, 5u * kCell);
  EXPECT_EQ(shards_[0].bytes(), ExpectedShards(*layout, Noise(kBytes))[0]);
}

TEST_F(Encode, SmallObjectOfKnownSizeTakesLittleMemory) {
  MemoryObject small(Noise(7));
  options_.object_bytes = 7;
  size_t asked = 0;
  options_.allocate = [&](size_t bytes) -> absl::StatusOr<Buffer> {
    asked += bytes;
    return absl::ResourceExhaustedError("none");
  };
  EXPECT_EQ(EncodeObject(coder_, geometry_, small, shards_.writers(), options_).status(),
            absl::ResourceExhaustedError("none"));
  EXPECT_EQ(asked, 5u * 3u);
}

TEST_F(Encode, TooLittleMemoryIsRefused) {
  std::vector<uint8_t> memory(5 * kCell - 1);
  options_.allocate = [&](size_t) { return Buffer(memory.data(), memory.size(), false, nullptr); };
  EXPECT_EQ(codec::FieldOf(Run().status()), "allocate");
}

TEST_F(Encode, ReadsNoMoreThanWasPromised) {
  options_.object_bytes = kStripe + 1;
  const auto layout = Run();
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_EQ(layout->object_bytes(), kStripe + 1);
  EXPECT_EQ(object_.position(), kStripe + 1);
}

TEST_F(Encode, SourceThatEndsBeforeItWasPromisedToIsAborted) {
  for (const size_t missing : {size_t{1}, kStripe}) {
    MemoryObject other(Noise(kBytes));
    options_.object_bytes = kBytes + missing;
    const auto layout = EncodeObject(coder_, geometry_, other, shards_.writers(), options_);
    EXPECT_TRUE(absl::IsAborted(layout.status())) << layout.status();
  }
}

TEST_F(Encode, ShardsThatAreNotWantedAreNotWritten) {
  std::vector<ShardWriter*> writers = shards_.writers();
  writers[1] = nullptr;
  writers[4] = nullptr;
  const auto layout = EncodeObject(coder_, geometry_, object_, writers, options_);
  ASSERT_TRUE(layout.ok()) << layout.status();
  const auto expected = ExpectedShards(*layout, Noise(kBytes));
  for (const size_t i : {0, 2, 3}) EXPECT_EQ(shards_[i].bytes(), expected[i]) << i;
  EXPECT_TRUE(shards_[1].bytes().empty());
  EXPECT_TRUE(shards_[4].bytes().empty());
}

TEST_F(Encode, ErrorOfTheSourceIsReturned) {
  object_.FailAt(2 * kStripe, absl::UnavailableError("client has gone"));
  EXPECT_EQ(Run().status(), absl::UnavailableError("client has gone"));
}

TEST_F(Encode, ErrorOfAShardIsReturnedAndNoMoreIsRead) {
  shards_[3].SetHook([](MemoryShard::Range range) {
    return range.first == 2 * kCell ? absl::ResourceExhaustedError("disk full") : absl::OkStatus();
  });
  options_.stripes_in_flight = 1;
  EXPECT_EQ(Run().status(), absl::ResourceExhaustedError("disk full"));
  EXPECT_EQ(object_.position(), 3 * kStripe);
  EXPECT_EQ(coder_.calls(), 3);
}

// Stripe 1 fails only when stripe 2 has.
TEST_F(Encode, OfSeveralErrorsTheFirstStripesIsReturned) {
  Counter second_failed;
  shards_[0].SetHook([&](MemoryShard::Range range) {
    if (range.first == 2 * kCell) {
      second_failed.Add();
      return absl::InternalError("stripe 2");
    }
    if (range.first == 1 * kCell && second_failed.Await(1)) {
      return absl::InternalError("stripe 1");
    }
    return absl::OkStatus();
  });
  EXPECT_EQ(Run().status(), absl::InternalError("stripe 1"));
}

// The source fails at once after stripe 1; stripe 1 itself is being computed until then.
TEST_F(Encode, ErrorOfAnEarlierStripeComesBeforeTheSources) {
  object_.FailAt(2 * kStripe, absl::UnavailableError("client has gone"));
  shards_[0].SetHook([&](MemoryShard::Range range) {
    return range.first == kCell ? absl::InternalError("stripe 1") : absl::OkStatus();
  });
  EXPECT_EQ(Run().status(), absl::InternalError("stripe 1"));
}

TEST_F(Encode, ErrorEndsCallsOfLaterStripes) {
  Counter waiting;
  coder_.SetHook([&](const Request& request, const CallOptions& call) {
    if (request.shards[0][0] == Noise(kBytes)[0]) {
      return waiting.Await(2) ? absl::InternalError("stripe 0") : absl::OkStatus();
    }
    waiting.Add();
    Counter cancelled;
    const Cancellation::Listener listener(call.cancellation, [&] { cancelled.Add(); });
    EXPECT_TRUE(cancelled.Await(1));
    return absl::CancelledError("as told");
  });
  EXPECT_EQ(Run().status(), absl::InternalError("stripe 0"));
}

TEST_F(Encode, SmallObjectOfKnownSizeTakesNoThread) {
  MemoryObject small(Noise(7));
  options_.object_bytes = 7;
  coder_.SetHook([caller = std::this_thread::get_id()](const Request&, const CallOptions&) {
    return std::this_thread::get_id() == caller ? absl::OkStatus()
                                                : absl::InternalError("another thread");
  });
  EXPECT_EQ(EncodeObject(coder_, geometry_, small, shards_.writers(), options_).status(),
            absl::OkStatus());
  EXPECT_EQ(coder_.calls(), 1);
}

TEST_F(Encode, ProgressRisesToTheWhole) {
  std::vector<std::pair<uint64_t, std::optional<uint64_t>>> told;
  options_.progress = [&](uint64_t done, std::optional<uint64_t> total) {
    told.emplace_back(done, total);
  };
  ASSERT_TRUE(Run().ok());
  ASSERT_EQ(told.size(), 9u);
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(told[i].first, (i + 1) * kStripe);
  EXPECT_EQ(told[8], std::pair(uint64_t{kBytes}, std::optional<uint64_t>(kBytes)));
}

TEST_F(Encode, ProgressKnowsAPromisedSize) {
  std::vector<std::pair<uint64_t, uint64_t>> told;
  options_.object_bytes = 2 * kStripe;
  options_.progress = [&](uint64_t done, std::optional<uint64_t> total) {
    told.emplace_back(done, total.value_or(0));
  };
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(told, ElementsAre(Pair(kStripe, 2 * kStripe), Pair(2 * kStripe, 2 * kStripe)));
}

TEST_F(Encode, BadArgumentsNameTheField) {
  EXPECT_EQ(codec::FieldOf(
                EncodeObject(coder_, ReedSolomon(4, 2), object_, shards_.writers(), {}).status()),
            "shards");
  options_.stripes_in_flight = 0;
  EXPECT_EQ(codec::FieldOf(Run().status()), "stripes_in_flight");
  options_.stripes_in_flight = kMaxStripesInFlight + 1;
  EXPECT_EQ(codec::FieldOf(Run().status()), "stripes_in_flight");
  options_.stripes_in_flight = 1;
  options_.cell_bytes = 1 << 30;
  EXPECT_EQ(codec::FieldOf(Run().status()), "cell_bytes");
  EXPECT_EQ(object_.position(), 0u);
}

}  // namespace
}  // namespace parity::client
