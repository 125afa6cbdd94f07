#include "parity/engine/stripe_processor.h"

#include <atomic>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "../codec/stripe.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parity/checksum/crc32c.h"
#include "parity/codec/codec_cache.h"
#include "parity/codec/field_error.h"

namespace parity::engine {
namespace {

using codec::Bytes;
using codec::Code;
using codec::Geometry;
using codec::ShardList;
using ::testing::ElementsAre;

class Request final : public StripeRequest {
 public:
  explicit Request(StripeJob made) : job_(std::move(made)) {}

  StripeJob& job() override { return job_; }
  absl::Status Wanted() const override { return wanted; }
  void Done(const absl::Status& status) override {
    outcome = status;
    if (on_done) on_done();
  }

  absl::Status wanted;
  std::optional<absl::Status> outcome;
  std::function<void()> on_done;

 private:
  StripeJob job_;
};

// Shards of several stripes, with parity by the definition, and a task on them.
struct Stripes {
  Geometry geometry;
  size_t shard_bytes;
  std::vector<std::vector<Bytes>> shards;  // of each stripe, k + m

  Stripes(const Geometry& of, size_t bytes, uint32_t count, std::mt19937& random)
      : geometry(of), shard_bytes(bytes) {
    codec::Batch batch(codec::BestTable());
    const codec::Codec codec(geometry);
    for (uint32_t s = 0; s < count; ++s) {
      std::vector<Bytes> data;
      for (uint32_t j = 0; j < geometry.data_shards(); ++j) {
        data.push_back(codec::Noise(bytes, random));
      }
      std::vector<Bytes> parity(geometry.parity_shards(), Bytes(bytes));
      EXPECT_TRUE(
          codec.Encode(ShardList(data).shards(), bytes, codec::Pointers(parity), batch).ok());
      batch.Run();
      std::move(parity.begin(), parity.end(), std::back_inserter(data));
      shards.push_back(std::move(data));
    }
  }

  // The shards with these indices of every stripe, those of the first one first.
  std::vector<Bytes> Pick(const std::vector<uint32_t>& indices) const {
    std::vector<Bytes> picked;
    for (const auto& stripe : shards) {
      for (const uint32_t index : indices) picked.push_back(stripe[index]);
    }
    return picked;
  }

  std::vector<uint32_t> Range(uint32_t first, uint32_t last) const {
    std::vector<uint32_t> range;
    for (uint32_t i = first; i < last; ++i) range.push_back(i);
    return range;
  }
  std::vector<uint32_t> data() const { return Range(0, geometry.data_shards()); }
  std::vector<uint32_t> parity() const {
    return Range(geometry.data_shards(), geometry.total_shards());
  }
  std::vector<uint32_t> all() const { return Range(0, geometry.total_shards()); }
  uint32_t count() const { return static_cast<uint32_t>(shards.size()); }
};

std::vector<uint32_t> Sums(const std::vector<Bytes>& shards) {
  std::vector<uint32_t> sums;
  for (const Bytes& shard : shards) sums.push_back(checksum::Crc32c(shard));
  return sums;
}

std::vector<Bytes> Computed(StripeJob& job) {
  std::vector<Bytes> shards;
  const ComputedShards& computed = job.computed();
  for (uint32_t i = 0; i < computed.count; ++i) {
    const uint8_t* shard = computed.buffer.data() + i * computed.shard_bytes;
    shards.emplace_back(shard, shard + computed.shard_bytes);
  }
  return shards;
}

class StripeProcessorTest : public ::testing::Test {
 protected:
  std::unique_ptr<Request> Make(const Geometry& geometry, const StripeTask& task) {
    absl::StatusOr<StripeJob> job = StripeJob::Make(processor_.codecs().Get(geometry), task);
    EXPECT_TRUE(job.ok()) << job.status();
    EXPECT_TRUE(job->Allocate(processor_.pool()).ok());
    return std::make_unique<Request>(*std::move(job));
  }

  // Runs the task alone and returns how it ended.
  absl::Status Run(Request& request) {
    processor_.Queue(line_, request);
    while (!processor_.idle()) processor_.RunTurn();
    return request.outcome.value_or(absl::InternalError("not done"));
  }

  std::mt19937 random_{11};
  StripeProcessor processor_{codec::BestTable(), BufferPool::Make(64 << 20)};
  StripeProcessor::Line line_;
};

struct Shape {
  size_t shard_bytes;
  uint32_t stripes;
};

// Less than a slice, several stripes a slice, several slices of stripes, stripes cut into columns.
const Shape kShapes[] = {{1, 1},       {100, 7},       {4096, 65}, {70'001, 9},
                         {400'000, 2}, {1'500'000, 2}, {3, 1024}};

std::vector<Geometry> Geometries() {
  return {*Geometry::Make(Code::kXor, 3, 1), *Geometry::Make(Code::kRaid6, 4, 2),
          *Geometry::Make(Code::kReedSolomon, 4, 3)};
}

TEST_F(StripeProcessorTest, EveryOperationInEveryShape) {
  for (const Geometry& geometry : Geometries()) {
    for (const Shape& shape : kShapes) {
      const Stripes stripes(geometry, shape.shard_bytes, shape.stripes, random_);
      for (const bool summed : {false, true}) {
        SCOPED_TRACE(NameOf(geometry) + ", " + std::to_string(shape.stripes) + " of " +
                     std::to_string(shape.shard_bytes) + (summed ? ", summed" : ""));
        const auto run = [&](Operation operation, StripeTask task,
                             const std::vector<Bytes>& sources) {
          const ShardList list(sources, random_);
          const std::vector<codec::Shard> shards = list.shards();
          const std::vector<uint32_t> sums = summed ? Sums(sources) : std::vector<uint32_t>();
          task.operation = operation;
          task.shards = shards;
          task.shard_bytes = shape.shard_bytes;
          task.stripes = shape.stripes;
          task.checksums = sums;
          auto request = Make(geometry, task);
          const absl::Status status = Run(*request);
          EXPECT_TRUE(status.ok()) << status;
          return request;
        };
        const std::vector<Bytes> parity = stripes.Pick(stripes.parity());

        auto encoded = run(Operation::kEncode, {}, stripes.Pick(stripes.data()));
        ASSERT_TRUE(Computed(encoded->job()) == parity);
        if (summed) {
          ASSERT_EQ(encoded->job().computed().checksums, Sums(parity));
        }

        const std::vector<uint32_t> wanted = {geometry.data_shards(), 1};
        std::vector<uint32_t> present;
        for (const uint32_t i : stripes.all()) {
          if (i != wanted[0] && i != wanted[1]) present.push_back(i);
        }
        if (geometry.parity_shards() > 1) {
          StripeTask task;
          task.indices = present;
          task.wanted = wanted;
          auto restored = run(Operation::kReconstruct, task, stripes.Pick(present));
          ASSERT_TRUE(Computed(restored->job()) == stripes.Pick(wanted));
          if (summed) {
            ASSERT_EQ(restored->job().computed().checksums, Sums(stripes.Pick(wanted)));
          }
        }

        const std::vector<uint32_t> changed = {2, 0};
        const Stripes before(geometry, shape.shard_bytes, shape.stripes, random_);
        std::vector<Bytes> old_and_new;
        std::vector<Bytes> updated_parity;
        for (uint32_t s = 0; s < shape.stripes; ++s) {
          // The stripe before, whose shards 2 and 0 become those of the stripe after.
          std::vector<Bytes> after = before.shards[s];
          for (const uint32_t i : changed) {
            old_and_new.push_back(before.shards[s][i]);
            after[i] = stripes.shards[s][i];
          }
          for (const uint32_t i : changed) old_and_new.push_back(after[i]);
          for (const uint32_t i : stripes.parity()) old_and_new.push_back(before.shards[s][i]);
          after.resize(geometry.data_shards());
          codec::Batch batch(codec::BestTable());
          std::vector<Bytes> out(geometry.parity_shards(), Bytes(shape.shard_bytes));
          ASSERT_TRUE(
              codec::Codec(geometry)
                  .Encode(ShardList(after).shards(), shape.shard_bytes, codec::Pointers(out), batch)
                  .ok());
          batch.Run();
          std::move(out.begin(), out.end(), std::back_inserter(updated_parity));
        }
        StripeTask update;
        update.indices = changed;
        auto updated = run(Operation::kUpdate, update, old_and_new);
        ASSERT_TRUE(Computed(updated->job()) == updated_parity);

        auto verified = run(Operation::kVerify, {}, stripes.Pick(stripes.all()));
        ASSERT_TRUE(verified->job().report().mismatches.empty());
      }
    }
  }
}

TEST_F(StripeProcessorTest, ShorterShardsCountAsFollowedByZerosInEverySlice) {
  const Geometry geometry = *Geometry::Make(Code::kReedSolomon, 3, 2);
  constexpr size_t kBytes = 1'000'000;
  std::vector<Bytes> data = {codec::Noise(kBytes, random_), codec::Noise(600'123, random_), {}};
  const std::vector<Bytes> parity = codec::DefinedParity(geometry, data, kBytes);
  const ShardList list(data, random_);
  const std::vector<codec::Shard> shards = list.shards();
  const std::vector<uint32_t> sums = Sums(data);  // of what is there, not of the zeros
  auto request = Make(geometry, {Operation::kEncode, shards, kBytes, 1, {}, {}, sums});
  const absl::Status status = Run(*request);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_TRUE(Computed(request->job()) == parity);
}

TEST_F(StripeProcessorTest, AWrongChecksumIsDataLossThatNamesTheShard) {
  const Stripes stripes(*Geometry::Make(Code::kXor, 3, 1), 200'000, 4, random_);
  const std::vector<Bytes> data = stripes.Pick(stripes.data());
  const ShardList list(data);
  const std::vector<codec::Shard> shards = list.shards();
  std::vector<uint32_t> sums = Sums(data);
  sums[7] ^= 1;
  auto request = Make(stripes.geometry, {Operation::kEncode, shards, 200'000, 4, {}, {}, sums});
  const absl::Status status = Run(*request);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  EXPECT_EQ(codec::FieldOf(status), "shards[7]");
}

TEST_F(StripeProcessorTest, VerifyNamesStripeShardAndTheLowestOffset) {
  const Geometry geometry = *Geometry::Make(Code::kReedSolomon, 4, 3);
  Stripes stripes(geometry, 900'000, 3, random_);
  stripes.shards[1][2][850'000] ^= 1;  // in a late slice, every parity differs
  stripes.shards[1][2][850'001] ^= 1;
  stripes.shards[2][5][10] ^= 1;  // parity shard 5 alone, at two places
  stripes.shards[2][5][899'999] ^= 1;
  const std::vector<Bytes> all = stripes.Pick(stripes.all());
  const ShardList list(all, random_);
  const std::vector<codec::Shard> shards = list.shards();
  auto request = Make(geometry, {Operation::kVerify, shards, 900'000, 3, {}, {}, {}});
  ASSERT_TRUE(Run(*request).ok());
  const StripeReport& report = request->job().report();
  std::vector<std::tuple<uint32_t, uint32_t, uint64_t>> found;
  for (const Mismatch& mismatch : report.mismatches) {
    found.emplace_back(mismatch.stripe, mismatch.at.shard, mismatch.at.offset);
  }
  using Found = std::tuple<uint32_t, uint32_t, uint64_t>;
  EXPECT_THAT(found, ElementsAre(Found(1, 4, 850'000), Found(1, 5, 850'000), Found(1, 6, 850'000),
                                 Found(2, 5, 10)));
  EXPECT_EQ(report.suspect, 2u);
}

TEST_F(StripeProcessorTest, RequestsOfOneTurnAreOneBatch) {
  const Stripes a(*Geometry::Make(Code::kXor, 2, 1), 3, 1, random_);
  const Stripes b(*Geometry::Make(Code::kRaid6, 2, 2), 5000, 1, random_);
  const auto a_data = a.Pick(a.data());
  const auto b_data = b.Pick(b.data());
  const ShardList a_list(a_data), b_list(b_data);
  const auto a_shards = a_list.shards(), b_shards = b_list.shards();
  auto first = Make(a.geometry, {Operation::kEncode, a_shards, 3, 1, {}, {}, {}});
  auto second = Make(b.geometry, {Operation::kEncode, b_shards, 5000, 1, {}, {}, {}});
  StripeProcessor::Line other;
  processor_.Queue(line_, *first);
  processor_.Queue(other, *second);
  processor_.RunTurn();
  EXPECT_EQ(processor_.batches(), 1u);
  EXPECT_TRUE(processor_.idle());
  EXPECT_TRUE(Computed(first->job()) == a.Pick(a.parity()));
  EXPECT_TRUE(Computed(second->job()) == b.Pick(b.parity()));
}

TEST_F(StripeProcessorTest, ASmallRequestIsDoneBeforeALargeOneThatCameEarlier) {
  const Geometry geometry = *Geometry::Make(Code::kXor, 4, 1);
  const Stripes large(geometry, 4 << 20, 1, random_);
  const Stripes small(geometry, 4096, 1, random_);
  const auto large_data = large.Pick(large.data()), small_data = small.Pick(small.data());
  const ShardList large_list(large_data), small_list(small_data);
  const auto large_shards = large_list.shards(), small_shards = small_list.shards();
  std::string order;
  auto first = Make(geometry, {Operation::kEncode, large_shards, 4 << 20, 1, {}, {}, {}});
  auto second = Make(geometry, {Operation::kEncode, small_shards, 4096, 1, {}, {}, {}});
  first->on_done = [&order] { order += "large "; };
  second->on_done = [&order] { order += "small "; };
  processor_.Queue(line_, *first);
  processor_.RunTurn();
  StripeProcessor::Line other;
  processor_.Queue(other, *second);
  while (!processor_.idle()) processor_.RunTurn();
  EXPECT_EQ(order, "small large ");
  EXPECT_TRUE(Computed(first->job()) == large.Pick(large.parity()));
}

TEST_F(StripeProcessorTest, WhatIsNotWantedAnyMoreIsNotComputed) {
  const Geometry geometry = *Geometry::Make(Code::kXor, 4, 1);
  const Stripes stripes(geometry, 4 << 20, 1, random_);
  const auto data = stripes.Pick(stripes.data());
  const ShardList list(data);
  const auto shards = list.shards();
  auto request = Make(geometry, {Operation::kEncode, shards, 4 << 20, 1, {}, {}, {}});
  processor_.Queue(line_, *request);
  processor_.RunTurn();
  EXPECT_FALSE(request->outcome.has_value());
  const uint64_t batches = processor_.batches();
  request->wanted = absl::CancelledError("gone");
  processor_.RunTurn();
  EXPECT_EQ(*request->outcome, absl::CancelledError("gone"));
  EXPECT_TRUE(processor_.idle());
  EXPECT_LE(processor_.batches(), batches + 1);
}

TEST_F(StripeProcessorTest, AnErrorOfTheCodecIsTheOutcomeAndTheOthersAreDone) {
  const Stripes stripes(*Geometry::Make(Code::kReedSolomon, 4, 2), 1000, 2, random_);
  const std::vector<uint32_t> present = {0, 1, 5};
  const std::vector<uint32_t> wanted = {3};
  const auto left = stripes.Pick(present);
  const auto data = stripes.Pick(stripes.data());
  const ShardList left_list(left), list(data);
  const auto left_shards = left_list.shards(), shards = list.shards();
  auto impossible =
      Make(stripes.geometry, {Operation::kReconstruct, left_shards, 1000, 2, present, wanted, {}});
  auto possible = Make(stripes.geometry, {Operation::kEncode, shards, 1000, 2, {}, {}, {}});
  processor_.Queue(line_, *impossible);
  processor_.Queue(line_, *possible);
  while (!processor_.idle()) processor_.RunTurn();
  EXPECT_TRUE(absl::IsFailedPrecondition(*impossible->outcome)) << *impossible->outcome;
  EXPECT_EQ(codec::FieldOf(*impossible->outcome), "present");
  EXPECT_TRUE(possible->outcome->ok());
  EXPECT_TRUE(Computed(possible->job()) == stripes.Pick(stripes.parity()));
}

// Hands every share to helpers on threads of their own.
class ThreadCrew final : public Crew {
 public:
  ~ThreadCrew() override { Wait(); }
  void Wait() {
    for (std::thread& helper : helpers_) helper.join();
    helpers_.clear();
  }
  void Offer(const std::shared_ptr<JobShare>& share) override {
    for (int i = 0; i < 2; ++i) {
      helpers_.emplace_back([this, share] {
        StripeProcessor processor(codec::BestTable(), BufferPool::Make(0));
        processor.Help(share);
        while (!processor.idle()) processor.RunTurn();
        helped += processor.batches();
      });
    }
  }
  std::atomic<uint64_t> helped{0};

 private:
  std::vector<std::thread> helpers_;
};

TEST_F(StripeProcessorTest, OthersTakePartInLargeJobsOnly) {
  const Geometry geometry = *Geometry::Make(Code::kReedSolomon, 4, 2);
  for (const size_t bytes : {size_t{100'000}, size_t{3'000'000}}) {
    const Stripes stripes(geometry, bytes, 2, random_);
    const auto data = stripes.Pick(stripes.data());
    const ShardList list(data, random_);
    const auto shards = list.shards();
    uint64_t batches = 0;
    uint64_t helped = 0;
    size_t slices = 0;
    for (int round = 0; round < 20; ++round) {
      ThreadCrew crew;
      StripeProcessor processor(codec::BestTable(), BufferPool::Make(64 << 20), &crew);
      auto request = Make(geometry, {Operation::kEncode, shards, bytes, 2, {}, {}, {}});
      slices = request->job().slices();
      processor.Queue(line_, *request);
      while (!processor.idle()) processor.RunTurn();
      ASSERT_TRUE(request->outcome.has_value());
      ASSERT_TRUE(request->outcome->ok()) << *request->outcome;
      ASSERT_TRUE(Computed(request->job()) == stripes.Pick(stripes.parity()));
      request = nullptr;  // whoever is still there must not touch it
      batches += processor.batches();
      crew.Wait();
      helped += crew.helped;
    }
    if (slices < JobShare::kLeastSlices) {
      EXPECT_EQ(helped, 0u);
    } else {
      EXPECT_EQ(batches + helped, 20 * slices);
      EXPECT_GT(helped, 0u);
    }
  }
}

TEST_F(StripeProcessorTest, ACrewThatIsNamedTakesPartInPlaceOfTheOwnOne) {
  const Stripes stripes(*Geometry::Make(Code::kXor, 4, 1), 4 << 20, 1, random_);
  const auto data = stripes.Pick(stripes.data());
  const ShardList list(data);
  const auto shards = list.shards();
  uint64_t helped = 0;
  for (int round = 0; round < 20; ++round) {
    ThreadCrew own;
    ThreadCrew near;
    StripeProcessor processor(codec::BestTable(), BufferPool::Make(64 << 20), &own);
    auto request = Make(stripes.geometry, {Operation::kEncode, shards, 4 << 20, 1, {}, {}, {}});
    processor.Queue(line_, *request, &near);
    while (!processor.idle()) processor.RunTurn();
    ASSERT_TRUE(Computed(request->job()) == stripes.Pick(stripes.parity()));
    near.Wait();
    own.Wait();
    EXPECT_EQ(own.helped, 0u);
    helped += near.helped;
  }
  EXPECT_GT(helped, 0u);
}

TEST_F(StripeProcessorTest, AnErrorEndsASharedJobForAll) {
  const Stripes stripes(*Geometry::Make(Code::kReedSolomon, 4, 2), 3'000'000, 1, random_);
  const std::vector<uint32_t> present = {0, 1, 5};
  const std::vector<uint32_t> wanted = {3};
  const auto left = stripes.Pick(present);
  const ShardList list(left);
  const auto shards = list.shards();
  for (int round = 0; round < 20; ++round) {
    ThreadCrew crew;
    StripeProcessor processor(codec::BestTable(), BufferPool::Make(64 << 20), &crew);
    auto request = Make(stripes.geometry,
                        {Operation::kReconstruct, shards, 3'000'000, 1, present, wanted, {}});
    processor.Queue(line_, *request);
    while (!processor.idle()) processor.RunTurn();
    EXPECT_TRUE(absl::IsFailedPrecondition(*request->outcome)) << *request->outcome;
  }
}

TEST_F(StripeProcessorTest, ASharedJobThatIsNotWantedIsNotTouchedAfterwards) {
  const Stripes stripes(*Geometry::Make(Code::kXor, 4, 1), 4 << 20, 1, random_);
  const auto data = stripes.Pick(stripes.data());
  const ShardList list(data);
  const auto shards = list.shards();
  for (int round = 0; round < 20; ++round) {
    ThreadCrew crew;
    StripeProcessor processor(codec::BestTable(), BufferPool::Make(64 << 20), &crew);
    auto request = Make(stripes.geometry, {Operation::kEncode, shards, 4 << 20, 1, {}, {}, {}});
    processor.Queue(line_, *request);
    if (round % 2 == 1) processor.RunTurn();
    request->wanted = absl::CancelledError("gone");
    while (!processor.idle()) processor.RunTurn();
    ASSERT_TRUE(request->outcome.has_value());
  }
}

TEST_F(StripeProcessorTest, TheNumberOfShardsIsThatOfTheOperation) {
  const Geometry geometry = *Geometry::Make(Code::kReedSolomon, 4, 2);
  const codec::Segment segment{nullptr, 0};
  const std::vector<codec::Shard> shards(5, codec::Shard(&segment, 1));
  const auto codec = processor_.codecs().Get(geometry);
  const std::vector<uint32_t> none;
  const auto message = [&](const StripeTask& task) {
    return std::string(StripeJob::Make(codec, task).status().message());
  };
  EXPECT_EQ(message({Operation::kEncode, shards, 100, 1, {}, {}, {}}),
            "shards: got 5 shards, want 4");
  EXPECT_EQ(message({Operation::kEncode, shards, 100, 2, {}, {}, {}}),
            "shards: got 5 shards, want 8: 4 for each of 2 stripes");
  EXPECT_EQ(message({Operation::kVerify, shards, 100, 1, {}, {}, {}}),
            "shards: got 5 shards, want 6");
  const std::vector<uint32_t> changed = {1, 2};
  EXPECT_EQ(message({Operation::kUpdate, shards, 100, 1, changed, {}, {}}),
            "shards: got 5 shards, want 6");
  EXPECT_EQ(message({Operation::kUpdate, shards, 100, 1, none, {}, {}}),
            "changed: got none, want the data shards that have changed");
  EXPECT_EQ(message({Operation::kReconstruct, shards, 100, 1, none, changed, {}}),
            "present: got none, want the index of each shard");
}

TEST_F(StripeProcessorTest, NoMemoryIsAnErrorNotACrash) {
  const codec::Segment segment{nullptr, 0};
  const std::vector<codec::Shard> shards(2, codec::Shard(&segment, 1));
  auto job = StripeJob::Make(processor_.codecs().Get(*Geometry::Make(Code::kXor, 2, 1)),
                             {Operation::kEncode, shards, size_t{1} << 41, 1, {}, {}, {}});
  ASSERT_TRUE(job.ok());
  const absl::Status status = job->Allocate(processor_.pool());
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
}

// Memory of the caller for computed shards, each between bytes that must stay as they are.
class Places {
 public:
  Places(size_t shards, size_t shard_bytes) {
    for (size_t i = 0; i < shards; ++i) {
      memory_.emplace_back(shard_bytes + 2 * kGuard, kUntouched);
      pointers_.push_back(memory_.back().data() + kGuard);
    }
  }

  absl::Span<uint8_t* const> pointers() const { return pointers_; }
  // What the shards hold. Notices writes beside them.
  std::vector<Bytes> Shards() const {
    std::vector<Bytes> shards;
    for (const Bytes& memory : memory_) {
      for (size_t i = 0; i < kGuard; ++i) {
        EXPECT_EQ(memory[i], kUntouched);
        EXPECT_EQ(memory[memory.size() - 1 - i], kUntouched);
      }
      shards.emplace_back(memory.begin() + kGuard, memory.end() - kGuard);
    }
    return shards;
  }

 private:
  static constexpr size_t kGuard = 64;
  static constexpr uint8_t kUntouched = 0xa5;

  std::vector<Bytes> memory_;
  std::vector<uint8_t*> pointers_;
};

// A task of every operation, with the shards that it needs.
struct SomeTask {
  std::string name;
  StripeTask task;  // without shards
  std::vector<Bytes> sources;
  size_t computed;
};

std::vector<SomeTask> EveryOperation(const Stripes& stripes, const std::vector<uint32_t>& present,
                                     const std::vector<uint32_t>& wanted,
                                     const std::vector<uint32_t>& changed, std::mt19937& random) {
  StripeTask encode, reconstruct, update;
  encode.operation = Operation::kEncode;
  reconstruct.operation = Operation::kReconstruct;
  reconstruct.indices = present;
  reconstruct.wanted = wanted;
  update.operation = Operation::kUpdate;
  update.indices = changed;
  std::vector<Bytes> of_update;
  for (uint32_t s = 0; s < stripes.count(); ++s) {
    for (const uint32_t i : changed) of_update.push_back(stripes.shards[s][i]);
    for (size_t i = 0; i < changed.size(); ++i) {
      of_update.push_back(codec::Noise(stripes.shard_bytes, random));
    }
    for (const uint32_t i : stripes.parity()) of_update.push_back(stripes.shards[s][i]);
  }
  const size_t m = stripes.geometry.parity_shards();
  std::vector<SomeTask> tasks;
  tasks.push_back({"encode", encode, stripes.Pick(stripes.data()), m * stripes.count()});
  tasks.push_back({"update", update, of_update, m * stripes.count()});
  if (m > 1) {
    tasks.push_back(
        {"reconstruct", reconstruct, stripes.Pick(present), wanted.size() * stripes.count()});
  }
  return tasks;
}

TEST_F(StripeProcessorTest, OutputsOfTheCallerGetWhatABufferWouldHold) {
  for (const Geometry& geometry : Geometries()) {
    for (const Shape& shape : kShapes) {
      const Stripes stripes(geometry, shape.shard_bytes, shape.stripes, random_);
      const std::vector<uint32_t> wanted = {geometry.data_shards(), 1};
      const std::vector<uint32_t> changed = {2, 0};
      std::vector<uint32_t> present;
      for (const uint32_t i : stripes.all()) {
        if (i != wanted[0] && i != wanted[1]) present.push_back(i);
      }
      for (SomeTask& some : EveryOperation(stripes, present, wanted, changed, random_)) {
        const ShardList list(some.sources, random_);
        const std::vector<codec::Shard> shards = list.shards();
        const std::vector<uint32_t> sums = Sums(some.sources);
        for (const bool summed : {false, true}) {
          SCOPED_TRACE(some.name + " " + NameOf(geometry) + ", " + std::to_string(shape.stripes) +
                       " of " + std::to_string(shape.shard_bytes) + (summed ? ", summed" : ""));
          StripeTask task = some.task;
          task.shards = shards;
          task.shard_bytes = shape.shard_bytes;
          task.stripes = shape.stripes;
          if (summed) task.checksums = sums;
          auto buffered = Make(geometry, task);
          ASSERT_TRUE(Run(*buffered).ok());

          const Places places(some.computed, shape.shard_bytes);
          task.outputs = places.pointers();
          auto placed = Make(geometry, task);
          ASSERT_TRUE(Run(*placed).ok());
          ASSERT_TRUE(places.Shards() == Computed(buffered->job()));
          EXPECT_EQ(placed->job().computed_bytes(), 0u);
          EXPECT_EQ(placed->job().computed_shards(), some.computed);
          EXPECT_EQ(placed->job().computed().buffer.data(), nullptr);
          ASSERT_EQ(placed->job().computed().checksums, buffered->job().computed().checksums);
          if (summed) {
            ASSERT_EQ(placed->job().computed().checksums, Sums(places.Shards()));
          }
        }
      }
    }
  }
}

TEST_F(StripeProcessorTest, ParityIsUpdatedWhereItLies) {
  for (const Geometry& geometry : Geometries()) {
    for (const Shape& shape : kShapes) {
      const Stripes stripes(geometry, shape.shard_bytes, shape.stripes, random_);
      const std::vector<uint32_t> changed = {2, 0};
      const auto tasks = EveryOperation(stripes, {}, {}, changed, random_);
      const SomeTask& some = tasks[1];
      ASSERT_EQ(some.name, "update");
      StripeTask task = some.task;
      task.shard_bytes = shape.shard_bytes;
      task.stripes = shape.stripes;
      const ShardList list(some.sources);
      const std::vector<codec::Shard> shards = list.shards();
      const std::vector<uint32_t> sums = Sums(some.sources);
      task.shards = shards;
      auto buffered = Make(geometry, task);
      ASSERT_TRUE(Run(*buffered).ok());

      for (const bool summed : {false, true}) {
        std::vector<Bytes> memory = some.sources;
        const ShardList in_place(memory);
        const std::vector<codec::Shard> same = in_place.shards();
        std::vector<uint8_t*> outputs;
        const size_t per_stripe = memory.size() / shape.stripes;
        for (size_t i = 0; i < memory.size(); ++i) {
          if (i % per_stripe >= 2 * changed.size()) outputs.push_back(memory[i].data());
        }
        task.shards = same;
        task.outputs = outputs;
        task.checksums = summed ? absl::MakeConstSpan(sums) : absl::Span<const uint32_t>();
        auto placed = Make(geometry, task);
        const absl::Status status = Run(*placed);
        ASSERT_TRUE(status.ok()) << status;
        const std::vector<Bytes> right = Computed(buffered->job());
        for (size_t i = 0; i < outputs.size(); ++i) {
          ASSERT_TRUE(Bytes(outputs[i], outputs[i] + shape.shard_bytes) == right[i]) << i;
        }
        for (size_t i = 0; i < memory.size(); ++i) {
          if (i % per_stripe < 2 * changed.size()) {
            ASSERT_TRUE(memory[i] == some.sources[i]);
          }
        }
        if (summed) {
          ASSERT_EQ(placed->job().computed().checksums, Sums(right));
        }
      }
    }
  }
}

TEST_F(StripeProcessorTest, ShorterShardsAreFollowedByZerosForOutputsOfTheCallerToo) {
  const Geometry geometry = *Geometry::Make(Code::kReedSolomon, 3, 2);
  constexpr size_t kBytes = 1'000'000;
  std::vector<Bytes> data = {codec::Noise(kBytes, random_), codec::Noise(600'123, random_), {}};
  const std::vector<Bytes> parity = codec::DefinedParity(geometry, data, kBytes);
  const ShardList list(data, random_);
  const std::vector<codec::Shard> shards = list.shards();
  const Places places(2, kBytes);
  auto request =
      Make(geometry, {Operation::kEncode, shards, kBytes, 1, {}, {}, {}, places.pointers()});
  ASSERT_TRUE(Run(*request).ok());
  EXPECT_TRUE(places.Shards() == parity);
}

TEST_F(StripeProcessorTest, OthersTakePartInLargeJobsWithOutputsOfTheCaller) {
  const Geometry geometry = *Geometry::Make(Code::kReedSolomon, 4, 2);
  const Stripes stripes(geometry, 3'000'000, 2, random_);
  const std::vector<Bytes> data = stripes.Pick(stripes.data());
  const ShardList list(data, random_);
  const std::vector<codec::Shard> shards = list.shards();
  uint64_t helped = 0;
  for (int round = 0; round < 20; ++round) {
    const Places places(4, 3'000'000);
    ThreadCrew crew;
    StripeProcessor processor(codec::BestTable(), BufferPool::Make(0), &crew);
    auto request =
        Make(geometry, {Operation::kEncode, shards, 3'000'000, 2, {}, {}, {}, places.pointers()});
    ASSERT_TRUE(request->job().can_be_shared());
    processor.Queue(line_, *request);
    while (!processor.idle()) processor.RunTurn();
    ASSERT_TRUE(request->outcome.has_value() && request->outcome->ok());
    // Done means done by all: the caller may use its memory at once.
    ASSERT_TRUE(places.Shards() == stripes.Pick(stripes.parity()));
    request = nullptr;
    crew.Wait();
    helped += crew.helped;
  }
  EXPECT_GT(helped, 0u);
}

TEST_F(StripeProcessorTest, OutputsOfTheCallerNeedNoMemoryOfThePool) {
  const codec::Segment segment{nullptr, 0};
  const std::vector<codec::Shard> shards(2, codec::Shard(&segment, 1));
  uint8_t byte;
  const std::vector<uint8_t*> outputs = {&byte};
  auto job = StripeJob::Make(processor_.codecs().Get(*Geometry::Make(Code::kXor, 2, 1)),
                             {Operation::kEncode, shards, size_t{1} << 41, 1, {}, {}, {}, outputs});
  ASSERT_TRUE(job.ok());
  EXPECT_TRUE(job->Allocate(processor_.pool()).ok());
  EXPECT_EQ(job->computed_bytes(), 0u);
}

TEST_F(StripeProcessorTest, TheNumberOfOutputsIsThatOfTheOperation) {
  const Geometry geometry = *Geometry::Make(Code::kReedSolomon, 4, 2);
  const codec::Segment segment{nullptr, 0};
  const std::vector<codec::Shard> shards(12, codec::Shard(&segment, 1));
  const absl::Span<const codec::Shard> all = shards;
  const auto codec = processor_.codecs().Get(geometry);
  std::vector<Bytes> memory(13, Bytes(100));
  const std::vector<uint8_t*> pointers = codec::Pointers(memory);
  const std::vector<uint32_t> two = {1, 2};
  const std::vector<uint32_t> four = {0, 3, 4, 5};
  const auto status = [&](StripeTask task, size_t outputs) {
    task.outputs = absl::MakeConstSpan(pointers).first(outputs);
    task.shard_bytes = 100;
    return StripeJob::Make(codec, task).status();
  };
  const StripeTask encode{Operation::kEncode, all.first(8), 100, 2, {}, {}, {}, {}};
  const StripeTask update{Operation::kUpdate, all.first(12), 100, 2, two, {}, {}, {}};
  const StripeTask restore{Operation::kReconstruct, all.first(8), 100, 2, four, two, {}, {}};
  for (const StripeTask& task : {encode, update, restore}) {
    EXPECT_TRUE(status(task, 4).ok());
    for (const size_t wrong : {1, 2, 3, 5, 8}) {
      const absl::Status fault = status(task, wrong);
      EXPECT_TRUE(absl::IsInvalidArgument(fault)) << wrong;
      EXPECT_EQ(codec::FieldOf(fault), "outputs");
    }
  }
  const StripeTask verify{Operation::kVerify, all, 100, 2, {}, {}, {}, {}};
  EXPECT_TRUE(status(verify, 0).ok());
  EXPECT_EQ(status(verify, 2).message(), "outputs: got 2, want 0");
}

}  // namespace
}  // namespace parity::engine
