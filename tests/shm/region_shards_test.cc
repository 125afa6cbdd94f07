#include "parity/region/region_shards.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <ostream>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "process.h"

namespace parity::region {

bool operator==(const Fault& a, const Fault& b) {
  return a.outcome == b.outcome && a.detail == b.detail;
}
std::ostream& operator<<(std::ostream& out, const Fault& fault) {
  return out << "outcome " << static_cast<uint32_t>(fault.outcome) << ", " << fault.detail;
}

namespace {

using shm::Outcome;
using shm::PageBytes;

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

// What a request says, with memory of its own.
struct Request {
  uint64_t shard_bytes = 0;
  std::vector<uint64_t> sources;
  std::vector<uint64_t> lengths;
  std::vector<uint64_t> outputs;
  uint32_t updated_per_stripe = 0;
  uint32_t stripes = 1;

  RegionShards::Places places() const {
    return {shard_bytes, sources, lengths, outputs, updated_per_stripe, stripes};
  }
  bool IsUpdated(size_t source) const {
    const size_t per_stripe = sources.size() / stripes;
    return source % per_stripe + updated_per_stripe >= per_stripe;
  }
  uint64_t Length(size_t source) const { return lengths.empty() ? shard_bytes : lengths[source]; }
};

// The rules one by one, each shard against each other one.
class Oracle {
 public:
  Oracle(const Request& request, uint64_t region_bytes)
      : request_(request), region_bytes_(region_bytes) {}

  // Faults that are right to report; several if shards overlap. None if there is no fault.
  std::vector<Fault> Faults() const {
    const size_t sources = request_.sources.size();
    const size_t shards = sources + request_.outputs.size();
    using Wide = unsigned __int128;
    if (request_.shard_bytes == 0 || shards == 0 ||
        Wide{request_.shard_bytes} * shards > region_bytes_) {
      return {{Outcome::kBadShardBytes, 0}};
    }
    for (uint32_t i = 0; i < shards; ++i) {
      const uint64_t offset = OffsetOf(i);
      const uint64_t bytes = BytesOf(i);
      if (bytes > request_.shard_bytes ||
          (i < sources && request_.IsUpdated(i) && bytes != request_.shard_bytes)) {
        return {{Outcome::kBadLength, i}};
      }
      if (Wide{offset} + bytes > region_bytes_) return {{Outcome::kOutsideRegion, i}};
    }
    std::vector<Fault> faults;
    for (uint32_t output = 0; output < shards; ++output) {
      if (!IsWritten(output)) continue;
      for (uint32_t other = 0; other < shards; ++other) {
        if (other == output || BytesOf(other) == 0) continue;
        if (OffsetOf(other) < OffsetOf(output) + BytesOf(output) &&
            OffsetOf(output) < OffsetOf(other) + BytesOf(other)) {
          faults.push_back({Outcome::kOverlap, output});
          break;
        }
      }
    }
    return faults;
  }

 private:
  bool IsWritten(uint32_t shard) const {
    return shard >= request_.sources.size() || request_.IsUpdated(shard);
  }
  uint64_t OffsetOf(uint32_t shard) const {
    const size_t sources = request_.sources.size();
    return shard < sources ? request_.sources[shard] : request_.outputs[shard - sources];
  }
  uint64_t BytesOf(uint32_t shard) const {
    return shard < request_.sources.size() ? request_.Length(shard) : request_.shard_bytes;
  }

  const Request& request_;
  const uint64_t region_bytes_;
};

class RegionShardsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::shared_ptr<Region>> region = Region::Make(1, kPages * PageBytes(), 0, {});
    ASSERT_TRUE(region.ok()) << region.status();
    region_ = *std::move(region);
    size_ = region_->bytes();
    begin_ = region_->Find(0, size_);
  }

  Fault Find(const Request& request) { return shards_.Find(*region_, request.places()); }

  // That what was found lies where the request says.
  void ExpectFound(const Request& request) {
    ASSERT_EQ(shards_.sources().size(), request.sources.size());
    std::vector<uint8_t*> outputs;
    for (size_t i = 0; i < request.sources.size(); ++i) {
      const codec::Shard shard = shards_.sources()[i];
      ASSERT_EQ(codec::BytesIn(shard), request.Length(i));
      if (request.Length(i) > 0) {
        ASSERT_EQ(shard.size(), 1u);
        ASSERT_EQ(shard[0].data, begin_ + request.sources[i]);
      }
      if (request.IsUpdated(i)) outputs.push_back(begin_ + request.sources[i]);
    }
    for (const uint64_t offset : request.outputs) outputs.push_back(begin_ + offset);
    ASSERT_EQ(outputs, std::vector<uint8_t*>(shards_.outputs().begin(), shards_.outputs().end()));
  }

  static constexpr uint64_t kPages = 2;
  std::shared_ptr<Region> region_;
  uint64_t size_ = 0;
  uint8_t* begin_ = nullptr;
  RegionShards shards_;
};

TEST_F(RegionShardsTest, FindsShardsWhereTheyLie) {
  const Request encode{100, {0, 100, 200, 300}, {}, {400, 500}, 0, 1};
  EXPECT_TRUE(Find(encode).ok());
  ExpectFound(encode);
  const Request short_ones{100, {0, 100, 200, 300}, {100, 99, 1, 0}, {400, 500}, 0, 1};
  EXPECT_TRUE(Find(short_ones).ok());
  ExpectFound(short_ones);
  const Request update{100, {0, 100, 200, 300, 400, 500}, {}, {}, 1, 2};
  EXPECT_TRUE(Find(update).ok());
  ExpectFound(update);
  EXPECT_EQ(shards_.outputs()[0], begin_ + 200);
  EXPECT_EQ(shards_.outputs()[1], begin_ + 500);
}

TEST_F(RegionShardsTest, ShardBytesAreBoundedByTheRegionAsAWhole) {
  const Fault bad{Outcome::kBadShardBytes, 0};
  EXPECT_EQ(Find({0, {0, 1}, {}, {2}, 0, 1}), bad);
  EXPECT_EQ(Find({1, {}, {}, {}, 0, 1}), bad);
  EXPECT_TRUE(Find({size_ / 4, {0, size_ / 4, size_ / 2}, {}, {size_ / 4 * 3}, 0, 1}).ok());
  EXPECT_EQ(Find({size_ / 4 + 1, {0, 0, 0}, {}, {size_ / 2}, 0, 1}), bad);
  // Sources may lie on each other, but count as if they did not.
  EXPECT_TRUE(Find({size_ / 4, {0, 0, 0}, {}, {size_ / 2}, 0, 1}).ok());
  for (const uint64_t bytes : {size_ + 1, kMost / 4, kMost / 4 + 1, kMost / 2 + 1, kMost - 4095,
                               kMost - 1, kMost, uint64_t{1} << 62, uint64_t{1} << 63}) {
    EXPECT_EQ(Find({bytes, {0, 0, 0}, {0, 0, 0}, {0}, 0, 1}), bad) << bytes;
    EXPECT_EQ(Find({bytes, {0}, {}, {}, 0, 1}), bad) << bytes;
  }
  EXPECT_TRUE(Find({size_, {0}, {}, {}, 0, 1}).ok()) << "to verify, there are no outputs";
}

TEST_F(RegionShardsTest, ALengthIsAtMostThatOfAShard) {
  EXPECT_EQ(Find({10, {0, 10}, {10, 11}, {20}, 0, 1}), (Fault{Outcome::kBadLength, 1}));
  EXPECT_EQ(Find({10, {0, 10}, {kMost, 10}, {20}, 0, 1}), (Fault{Outcome::kBadLength, 0}));
  EXPECT_EQ(Find({10, {0, 10, 20, 30}, {0, 10, 0, 9}, {}, 1, 2}), (Fault{Outcome::kBadLength, 3}))
      << "parity that is updated is whole";
  EXPECT_TRUE(Find({10, {0, 10, 20, 30}, {0, 10, 9, 10}, {}, 1, 2}).ok());
}

TEST_F(RegionShardsTest, EveryShardIsInTheRegionAsAWhole) {
  for (const uint64_t outside : {size_ - 9, size_ - 1, size_, size_ + 1, uint64_t{1} << 32,
                                 uint64_t{1} << 63, kMost - 4095, kMost - 9, kMost}) {
    EXPECT_EQ(Find({10, {0, outside}, {}, {20}, 0, 1}), (Fault{Outcome::kOutsideRegion, 1}));
    EXPECT_EQ(Find({10, {0, 10}, {}, {20, outside}, 0, 1}), (Fault{Outcome::kOutsideRegion, 3}));
    EXPECT_EQ(Find({10, {0, 10, 30, outside}, {}, {}, 1, 2}), (Fault{Outcome::kOutsideRegion, 3}));
  }
  EXPECT_TRUE(Find({10, {0, size_ - 10}, {}, {20}, 0, 1}).ok());
  EXPECT_TRUE(Find({10, {0, 20}, {}, {size_ - 10}, 0, 1}).ok());
  EXPECT_TRUE(Find({10, {0, size_ - 9}, {10, 9}, {20}, 0, 1}).ok());
  EXPECT_TRUE(Find({10, {0, size_}, {10, 0}, {20}, 0, 1}).ok()) << "of no bytes, at the end";
  EXPECT_EQ(Find({10, {0, size_ + 1}, {10, 0}, {20}, 0, 1}), (Fault{Outcome::kOutsideRegion, 1}));
  EXPECT_EQ(Find({10, {0, kMost}, {10, 0}, {20}, 0, 1}), (Fault{Outcome::kOutsideRegion, 1}));
}

TEST_F(RegionShardsTest, OutputsOverlapNothingButShardsMayTouch) {
  EXPECT_TRUE(Find({10, {0, 20}, {}, {10, 30}, 0, 1}).ok());
  EXPECT_TRUE(Find({10, {5, 0}, {}, {15, 25}, 0, 1}).ok()) << "sources may overlap";
  EXPECT_TRUE(Find({10, {5, 5}, {}, {15, 25}, 0, 1}).ok());
  EXPECT_EQ(Find({10, {0, 20}, {}, {11, 30}, 0, 1}), (Fault{Outcome::kOverlap, 2}));
  EXPECT_EQ(Find({10, {1, 20}, {}, {10, 30}, 0, 1}), (Fault{Outcome::kOverlap, 2}));
  EXPECT_EQ(Find({10, {0, 20}, {}, {50, 0}, 0, 1}), (Fault{Outcome::kOverlap, 3}));
  EXPECT_EQ(Find({10, {0, 20}, {}, {40, 40}, 0, 1}).outcome, Outcome::kOverlap);
  EXPECT_EQ(Find({10, {0, 20}, {}, {40, 49}, 0, 1}), (Fault{Outcome::kOverlap, 3}));
  EXPECT_TRUE(Find({10, {0, 45}, {10, 0}, {40, 50}, 0, 1}).ok()) << "no byte overlaps nothing";
  EXPECT_TRUE(Find({10, {0, 35}, {10, 5}, {40, 50}, 0, 1}).ok());
  EXPECT_EQ(Find({10, {0, 35}, {10, 6}, {40, 50}, 0, 1}), (Fault{Outcome::kOverlap, 2}));
}

TEST_F(RegionShardsTest, ALongSourceThatBeginsFarBeforeAnOutputIsSeen) {
  // Shorter sources begin between it and the output that it reaches into.
  const Request request{100, {0, 10, 20, 30}, {100, 1, 1, 1}, {99}, 0, 1};
  EXPECT_EQ(Find(request), (Fault{Outcome::kOverlap, 4}));
}

TEST_F(RegionShardsTest, StripesOverlapEachOtherAsShardsDo) {
  EXPECT_TRUE(Find({10, {0, 10, 30, 40}, {}, {20, 50}, 0, 2}).ok());
  EXPECT_EQ(Find({10, {0, 10, 30, 40}, {}, {20, 5}, 0, 2}), (Fault{Outcome::kOverlap, 5}))
      << "the second stripe's output, the first one's source";
  EXPECT_EQ(Find({10, {0, 10, 20, 30, 40, 20}, {}, {}, 1, 2}).outcome, Outcome::kOverlap)
      << "one parity shard of two stripes";
}

TEST_F(RegionShardsTest, UpdatedParityOverlapsItselfAlone) {
  EXPECT_TRUE(Find({10, {0, 0, 20, 30}, {}, {}, 2, 1}).ok());
  EXPECT_EQ(Find({10, {0, 10, 20, 20}, {}, {}, 2, 1}).outcome, Outcome::kOverlap);
  EXPECT_EQ(Find({10, {0, 20, 20, 30}, {}, {}, 2, 1}), (Fault{Outcome::kOverlap, 2}));
  EXPECT_EQ(Find({10, {0, 10, 20, 29}, {}, {}, 2, 1}), (Fault{Outcome::kOverlap, 3}));
  EXPECT_TRUE(Find({10, {20, 25, 20, 30}, {0, 0, 10, 10}, {}, 2, 1}).ok());
}

// Places in a range so small that they meet often, and now and then far away.
class RandomRequests {
 public:
  RandomRequests(uint32_t seed, uint64_t region_bytes)
      : random_(seed), region_bytes_(region_bytes) {}

  Request Next() {
    Request request;
    request.stripes = 1 + random_() % 4;
    request.shard_bytes = random_() % 40 == 0 ? Odd() : random_() % 24;
    const size_t sources = random_() % 6;
    const size_t outputs = random_() % 4;
    packed_ = random_() % 3 == 0;
    at_ = random_() % 8;
    range_ = 1 + random_() % (random_() % 2 == 0 ? 100 : 2'000);
    step_ = random_() % 2 == 0 ? 1 : std::max<uint64_t>(request.shard_bytes, 1);
    const bool updates = sources > 0 && random_() % 3 == 0;
    if (updates) request.updated_per_stripe = 1 + random_() % sources;
    const bool with_lengths = random_() % 3 == 0;
    for (size_t i = 0; i < sources * request.stripes; ++i) {
      request.sources.push_back(Place(request.shard_bytes));
      if (with_lengths) request.lengths.push_back(Length(request));
    }
    if (!updates) {
      for (size_t i = 0; i < outputs * request.stripes; ++i) {
        request.outputs.push_back(Place(request.shard_bytes));
      }
    }
    if (packed_ && !request.outputs.empty() && random_() % 2 == 0) {
      // Something is moved a little, so that it meets its neighbour.
      request.outputs[random_() % request.outputs.size()] += random_() % 5;
    }
    if (random_() % 3 == 0) {
      std::shuffle(request.sources.begin(), request.sources.end(), random_);
      std::shuffle(request.outputs.begin(), request.outputs.end(), random_);
    }
    return request;
  }

 private:
  uint64_t Odd() {
    const uint64_t odd[] = {kMost,         kMost - 4095,      uint64_t{1} << 63,
                            region_bytes_, region_bytes_ / 2, region_bytes_ + 1,
                            random_()};
    return odd[random_() % std::size(odd)];
  }
  uint64_t Place(uint64_t shard_bytes) {
    if (random_() % 400 == 0) return Odd() - random_() % 30;
    if (!packed_) return random_() % range_ * step_;
    const uint64_t place = at_;
    at_ += shard_bytes;
    return place;
  }
  uint64_t Length(const Request& request) {
    if (random_() % 200 == 0) return request.shard_bytes + 1 + random_() % 5;
    if (request.shard_bytes == 0) return 0;
    // Updated parity is rarely cut: it would be refused at once.
    if (request.updated_per_stripe > 0 && random_() % 50 != 0) return request.shard_bytes;
    return random_() % 4 == 0 ? 0 : random_() % (request.shard_bytes % 64 + 1);
  }

  std::mt19937_64 random_;
  const uint64_t region_bytes_;
  bool packed_ = false;
  uint64_t at_ = 0;
  uint64_t range_ = 1;
  uint64_t step_ = 1;
};

TEST_F(RegionShardsTest, SaysOfRandomRequestsWhatTheRulesSay) {
  RandomRequests requests(1, size_);
  std::vector<int> seen(16);
  for (int round = 0; round < 300'000; ++round) {
    const Request request = requests.Next();
    const std::vector<Fault> right = Oracle(request, size_).Faults();
    const Fault fault = Find(request);
    ++seen[static_cast<size_t>(fault.outcome)];
    if (right.empty()) {
      ASSERT_TRUE(fault.ok()) << round << ": " << fault;
      ExpectFound(request);
      if (HasFatalFailure()) return;
    } else {
      ASSERT_NE(std::find(right.begin(), right.end(), fault), right.end())
          << round << ": " << fault << ", not " << right[0];
    }
  }
  for (const Outcome outcome : {Outcome::kDone, Outcome::kBadShardBytes, Outcome::kBadLength,
                                Outcome::kOutsideRegion, Outcome::kOverlap}) {
    EXPECT_GT(seen[static_cast<size_t>(outcome)], 3'000) << static_cast<uint32_t>(outcome);
  }
}

}  // namespace
}  // namespace parity::region
