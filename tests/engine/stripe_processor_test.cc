// What a StripeProcessor does with requests: every operation, turns, faults, and help by a crew.
#include "parity/engine/stripe_processor.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../codec/stripe.h"
#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parity/codec/field_error.h"
#include "parity/codec/geometry.h"
#include "parity/engine/buffer_pool.h"
#include "parity/engine/job_share.h"
#include "parity/engine/stripe_job.h"
#include "stripe_processor_fixture.h"

namespace parity::engine {
namespace {

using codec::Bytes;
using codec::Code;
using codec::Geometry;
using codec::ShardList;
using ::testing::ElementsAre;

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

}  // namespace
}  // namespace parity::engine
