// Requests whose outputs go where the caller wants them, and not into a buffer of the pool.
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "../codec/stripe.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "parity/codec/field_error.h"
#include "parity/codec/geometry.h"
#include "parity/engine/buffer_pool.h"
#include "parity/engine/stripe_job.h"
#include "parity/engine/stripe_processor.h"
#include "stripe_processor_fixture.h"

namespace parity::engine {
namespace {

using codec::Bytes;
using codec::Code;
using codec::Geometry;
using codec::ShardList;

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
