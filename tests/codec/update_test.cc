// First, because rapidcheck/gtest.h does not include it.
#include "gtest/gtest.h"

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "noting_table.h"
#include "stripe.h"

namespace parity::codec {
namespace {

// The parity after `changed` of the data of a whole stripe became new_shards.
std::vector<Bytes> Update(const Geometry& geometry, const std::vector<Bytes>& stripe,
                          const std::vector<uint32_t>& changed,
                          const std::vector<Bytes>& new_shards,
                          const kernels::KernelTable& table = BestTable()) {
  const size_t k = geometry.data_shards();
  std::vector<Bytes> parity(stripe.begin() + static_cast<ptrdiff_t>(k), stripe.end());
  std::vector<Bytes> old_shards;
  for (const uint32_t shard : changed) old_shards.push_back(stripe[shard]);
  Batch batch(table);
  const absl::Status status = Codec(geometry).Update(changed, ShardList(old_shards).shards(),
                                                     ShardList(new_shards).shards(),
                                                     parity[0].size(), Pointers(parity), batch);
  EXPECT_TRUE(status.ok()) << status;
  batch.Run();
  return parity;
}

// The parity of the stripe with that data.
std::vector<Bytes> Encoded(const Geometry& geometry, std::vector<Bytes> stripe,
                           const std::vector<uint32_t>& changed,
                           const std::vector<Bytes>& new_shards) {
  for (size_t i = 0; i < changed.size(); ++i) stripe[changed[i]] = new_shards[i];
  stripe.resize(geometry.data_shards());
  return DefinedParity(geometry, stripe,
                       new_shards.empty() ? stripe[0].size() : new_shards[0].size());
}

TEST(Update, GivesTheParityOfTheNewDataForEverySetOfChangedShards) {
  std::mt19937 random(1);
  std::vector<Geometry> geometries = GeometriesUpTo(8);
  geometries.push_back(LocalGroups());
  geometries.push_back(Lopsided());
  for (const Geometry& geometry : geometries) {
    const std::vector<Bytes> stripe = RandomStripe(geometry, 300, random);
    for (uint32_t pattern = 0; pattern < 1u << geometry.data_shards(); ++pattern) {
      std::vector<uint32_t> changed = Split(geometry.data_shards(), pattern).first;
      std::shuffle(changed.begin(), changed.end(), random);
      std::vector<Bytes> new_shards;
      for (size_t i = 0; i < changed.size(); ++i) new_shards.push_back(Noise(300, random));
      ASSERT_EQ(Update(geometry, stripe, changed, new_shards),
                Encoded(geometry, stripe, changed, new_shards))
          << NameOf(geometry) << " " << pattern;
    }
  }
}

TEST(Update, GivesTheSameBytesWithEveryTable) {
  std::mt19937 random(2);
  for (const Geometry& geometry :
       {Geometry::Make(Code::kReedSolomon, 5, 3).value(), Geometry::Make(Code::kXor, 5, 1).value(),
        Geometry::Make(Code::kRaid6, 5, 2).value()}) {
    const std::vector<Bytes> stripe = RandomStripe(geometry, 5000, random);
    const std::vector<Bytes> new_shards = {Noise(5000, random), Noise(5000, random)};
    for (const kernels::KernelTable* table : kernels::UsableTables(kernels::ReadCpuRegisters())) {
      EXPECT_EQ(Update(geometry, stripe, {3, 0}, new_shards, *table),
                Encoded(geometry, stripe, {3, 0}, new_shards))
          << table->name;
    }
  }
}

// As many sources as a kernel takes at once, old and new.
TEST(Update, TakesChangesOfEveryShardOfTheLargestGeometry) {
  std::mt19937 random(3);
  for (const Geometry& geometry :
       {Geometry::Make(Code::kReedSolomon, 255, 1).value(),
        Geometry::Make(Code::kReedSolomon, 254, 2).value(),
        Geometry::Make(Code::kReedSolomon, 127, 129).value(),
        Geometry::Make(Code::kReedSolomon, 128, 3).value(),
        Geometry::Make(Code::kRaid6, 255, 2).value(), Geometry::Make(Code::kXor, 255, 1).value()}) {
    const std::vector<Bytes> stripe = RandomStripe(geometry, 100, random);
    std::vector<uint32_t> changed(geometry.data_shards());
    std::iota(changed.begin(), changed.end(), 0);
    std::shuffle(changed.begin(), changed.end(), random);
    std::vector<Bytes> new_shards;
    for (size_t i = 0; i < changed.size(); ++i) new_shards.push_back(Noise(100, random));
    EXPECT_EQ(Update(geometry, stripe, changed, new_shards),
              Encoded(geometry, stripe, changed, new_shards))
        << NameOf(geometry);
  }
}

// Any range of bytes of any stripe, of which any data shards change, from shards cut anywhere and
// ending before the range does: the parity is that of the new data, within the range and beyond.
RC_GTEST_PROP(Update, EqualsEncodingAgain, ()) {
  const Code code = *rc::gen::element(Code::kXor, Code::kRaid6, Code::kReedSolomon);
  const uint32_t k = *rc::gen::inRange<uint32_t>(1, 20);
  const uint32_t m = code == Code::kXor     ? 1
                     : code == Code::kRaid6 ? 2
                                            : *rc::gen::inRange<uint32_t>(1, 9);
  const Geometry geometry = Geometry::Make(code, k, m).value();
  const size_t stripe_bytes = *rc::gen::inRange<size_t>(1, 5000);
  const size_t offset = *rc::gen::inRange<size_t>(0, stripe_bytes);
  const size_t bytes = *rc::gen::inRange<size_t>(0, stripe_bytes - offset + 1);
  std::mt19937 random(*rc::gen::arbitrary<uint32_t>());
  std::vector<Bytes> stripe = RandomStripe(geometry, stripe_bytes, random);

  std::vector<uint32_t> changed(k);
  std::iota(changed.begin(), changed.end(), 0);
  std::shuffle(changed.begin(), changed.end(), random);
  changed.resize(*rc::gen::inRange<size_t>(0, k + 1));
  std::vector<Bytes> old_shards;
  std::vector<Bytes> new_shards;
  const auto end_with_zeros = [&](Bytes& shard) {
    const size_t end = random() % 2 == 0 ? bytes : random() % (bytes + 1);
    std::fill(shard.begin() + static_cast<ptrdiff_t>(end), shard.end(), 0);
    return end;
  };
  for (const uint32_t shard : changed) {
    const auto first = stripe[shard].begin() + static_cast<ptrdiff_t>(offset);
    Bytes old_shard(first, first + static_cast<ptrdiff_t>(bytes));
    const size_t old_end = end_with_zeros(old_shard);
    std::copy(old_shard.begin(), old_shard.end(), first);
    old_shard.resize(old_end);
    old_shards.push_back(std::move(old_shard));
  }
  std::vector<Bytes> data(stripe.begin(), stripe.begin() + k);
  std::vector<Bytes> parity = DefinedParity(geometry, data, stripe_bytes);
  for (const uint32_t shard : changed) {
    Bytes new_shard = Noise(bytes, random);
    const size_t new_end = end_with_zeros(new_shard);
    std::copy(new_shard.begin(), new_shard.end(),
              data[shard].begin() + static_cast<ptrdiff_t>(offset));
    new_shard.resize(new_end);
    new_shards.push_back(std::move(new_shard));
  }
  std::vector<uint8_t*> outputs;
  for (Bytes& shard : parity) outputs.push_back(shard.data() + offset);
  Batch batch(BestTable());
  RC_ASSERT(Codec(geometry)
                .Update(changed, ShardList(old_shards, random).shards(),
                        ShardList(new_shards, random).shards(), bytes, outputs, batch)
                .ok());
  batch.Run();
  RC_ASSERT(parity == DefinedParity(geometry, data, stripe_bytes));
}

TEST(Update, LeavesParityThatDoesNotDependOnTheChangeOutOfIt) {
  const NotedCalls& noted = ForgetNotedCalls();
  const std::vector<Bytes> old_shards(1, Bytes(10));
  const std::vector<Bytes> new_shards(1, Bytes(10));
  std::vector<Bytes> parity(4, Bytes(10));
  Batch batch(kNotingTable);
  ASSERT_TRUE(Codec(LocalGroups())
                  .Update({4}, ShardList(old_shards).shards(), ShardList(new_shards).shards(), 10,
                          Pointers(parity), batch)
                  .ok());
  batch.Run();
  const NotedJob job = {{new_shards[0].data()},
                        {parity[1].data(), parity[2].data(), parity[3].data()},
                        {1, 16, 29},
                        10,
                        {old_shards[0].data()}};
  ASSERT_EQ(noted.gf_matrix_add.size(), 1u);
  EXPECT_EQ(noted.gf_matrix_add[0], NotedJobs{job});
}

class UpdateArguments : public testing::Test {
 protected:
  Fault FaultOfUpdate(const std::vector<uint32_t>& changed, const std::vector<Shard>& old_shards,
                      const std::vector<Shard>& new_shards, size_t shard_bytes,
                      const std::vector<uint8_t*>& parity) {
    const Bytes before = memory_;
    Fault fault =
        FaultOf(codec_.Update(changed, old_shards, new_shards, shard_bytes, parity, batch_));
    batch_.Run();
    EXPECT_EQ(memory_, before) << "something was queued";
    return fault;
  }

  Codec codec_{Geometry::Make(Code::kReedSolomon, 3, 2).value()};
  Bytes memory_ = Bytes(1000, 7);
  Segment old_segment_ = {memory_.data(), 100};
  Segment new_segment_ = {memory_.data() + 100, 100};
  Shard old_{&old_segment_, 1};
  Shard new_{&new_segment_, 1};
  uint8_t* p_ = memory_.data() + 500;
  uint8_t* q_ = memory_.data() + 600;
  Batch batch_{BestTable()};
};

TEST_F(UpdateArguments, MustNameDataShardsOnce) {
  EXPECT_EQ(FaultOfUpdate({3}, {old_}, {new_}, 100, {p_, q_}),
            Invalid("changed[0]", "got 3, want less than 3"));
  EXPECT_EQ(FaultOfUpdate({1, 1}, {old_, old_}, {new_, new_}, 100, {p_, q_}),
            Invalid("changed[1]", "got 1 again, want every shard at most once"));
}

TEST_F(UpdateArguments, MustHaveOldAndNewContentsOfEachChangedShard) {
  EXPECT_EQ(FaultOfUpdate({1}, {}, {new_}, 100, {p_, q_}), Invalid("old_shards", "got 0, want 1"));
  EXPECT_EQ(FaultOfUpdate({1}, {old_}, {new_, new_}, 100, {p_, q_}),
            Invalid("new_shards", "got 2, want 1"));
}

TEST_F(UpdateArguments, MustHaveEveryParityShard) {
  EXPECT_EQ(FaultOfUpdate({1}, {old_}, {new_}, 100, {p_}), Invalid("parity", "got 1, want 2"));
}

TEST_F(UpdateArguments, MustNotBeLongerThanTheRange) {
  EXPECT_EQ(FaultOfUpdate({1}, {old_}, {Shard()}, 99, {p_, q_}),
            Invalid("old_shards[0]", "got 100 bytes, want at most 99"));
  EXPECT_EQ(FaultOfUpdate({1}, {Shard()}, {new_}, 99, {p_, q_}),
            Invalid("new_shards[0]", "got 100 bytes, want at most 99"));
  EXPECT_EQ(FaultOfUpdate({1}, {old_}, {new_}, (size_t{1} << 40) + 1, {p_, q_}),
            Invalid("shard_bytes", "got 1099511627777, want at most 1099511627776"));
}

TEST_F(UpdateArguments, MustNotWriteToWhatIsRead) {
  EXPECT_EQ(FaultOfUpdate({1}, {old_}, {new_}, 100, {p_, p_ + 99}),
            Invalid("parity[1]", "got memory that overlaps parity[0], want memory of its own"));
  EXPECT_EQ(FaultOfUpdate({1}, {old_}, {new_}, 100, {p_, memory_.data() + 199}),
            Invalid("parity[1]", "got memory that overlaps new_shards[0], want memory of its own"));
  EXPECT_EQ(FaultOfUpdate({1}, {old_}, {new_}, 100, {memory_.data(), q_}),
            Invalid("parity[0]", "got memory that overlaps old_shards[0], want memory of its own"));
  EXPECT_EQ(FaultOfUpdate({1}, {old_}, {new_}, 100, {memory_.data() + 100, q_}),
            Invalid("parity[0]", "got memory that overlaps new_shards[0], want memory of its own"));
}

TEST_F(UpdateArguments, MayBeTheSameMemoryBeforeAndAfter) {
  const Bytes before = memory_;
  EXPECT_TRUE(codec_.Update({2}, {old_}, {old_}, 100, {p_, q_}, batch_).ok());
  EXPECT_TRUE(codec_.Update({}, {}, {}, 100, {p_, q_}, batch_).ok());
  batch_.Run();
  EXPECT_EQ(memory_, before);
}

}  // namespace
}  // namespace parity::codec
