// What a client may try in the memory that it shares: rings, records, plans, places, and floods.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "absl/types/span.h"
#include "attack_fixture.h"
#include "gtest/gtest.h"
#include "parity/codec/geometry.h"
#include "parity/shm/layout.h"
#include "parity/shm/record.h"
#include "raw_client.h"

namespace parity::shm {
namespace {

using codec::Code;
using codec::Geometry;

TEST_F(AttackTest, ATailThatCannotBeTrueEndsTheConnection) {
  const uint64_t tails[] = {
      1,         2,     3,         kSubmissionWords + 1,         kMost,
      kMost - 1, kHalf, kHalf - 1, kMost - kSubmissionWords + 1, uint64_t{1} << 32};
  for (const uint64_t tail : tails) {
    RawClient client = Intruder();
    client.PublishTail(tail);
    EXPECT_TRUE(client.AwaitClosed()) << tail;
  }
}

TEST_F(AttackTest, ATailThatGoesBackEndsTheConnection) {
  for (const uint64_t back : {1, 4, 8, 40, 41}) {
    RawClient client = Intruder();
    for (int i = 0; i < 10; ++i) {
      ASSERT_EQ(OutcomeOf(client, ShortestRecord()), Outcome::kUnknownPlan);
    }
    client.PublishTail(client.tail() - back);
    EXPECT_TRUE(client.AwaitClosed()) << back;
  }
}

TEST_F(AttackTest, ATailByRandomAmountsOverNothingEndsTheConnection) {
  for (int round = 0; round < 100; ++round) {
    RawClient client = Intruder();
    client.PublishTail(random_() >> random_() % 64 | 1);
    EXPECT_TRUE(client.AwaitClosed());
  }
}

TEST_F(AttackTest, RecordsOfWordsThatCannotBeEndTheConnection) {
  for (const uint64_t words :
       {uint64_t{0}, uint64_t{1}, uint64_t{3}, uint64_t{4}, uint64_t{6}, uint64_t{8},
        uint64_t{kMaxRecordWords}, uint64_t{kMaxRecordWords} + 1, uint64_t{kSubmissionWords},
        uint64_t{1} << 32, kHalf, kMost}) {
    RawClient client = IntruderWithXor();
    std::vector<uint64_t> record = RunRecord(HeaderOf(kPlan, 1, 8), {0, 8}, {16});
    ASSERT_EQ(record.size(), 7u);
    record[3] = words;
    record.resize(std::clamp<uint64_t>(words, record.size(), kMaxRecordWords));
    client.Write(record);
    client.Publish();
    EXPECT_TRUE(client.AwaitClosed()) << words;
  }
}

TEST_F(AttackTest, ARecordThatIsNotThereAsAWholeEndsTheConnection) {
  RawClient client = IntruderWithXor();
  std::vector<uint64_t> record = RunRecord(HeaderOf(kPlan, 1, 8), {0, 8}, {16});
  record.pop_back();
  client.Write(record);
  client.Publish();
  EXPECT_TRUE(client.AwaitClosed());
}

TEST_F(AttackTest, ARecordOfNoKindEndsTheConnection) {
  for (const uint8_t kind : {0, 3, 128, 255}) {
    RawClient client = Intruder();
    std::vector<uint64_t> record = ShortestRecord();
    record[0] = (record[0] & ~uint64_t{0xff}) | kind;
    client.Write(record);
    client.Publish();
    EXPECT_TRUE(client.AwaitClosed()) << int{kind};
  }
}

TEST_F(AttackTest, APlanThatThereIsNotIsSaidSo) {
  RawClient client = Intruder();
  for (const uint16_t place : {0, 1, 63, 64, 65, 255, 65'535}) {
    EXPECT_EQ(OutcomeOf(client, RunRecord(HeaderOf(place, 1, 8), {}, {})), Outcome::kUnknownPlan);
    EXPECT_EQ(OutcomeOf(client, RunRecord(HeaderOf(place, 0, 0), {1, 2, 3}, {})),
              Outcome::kUnknownPlan);
  }
  const Plan plan{Operation::kEncode, *Geometry::Make(Code::kXor, 2, 1), {}, {}};
  EXPECT_EQ(OutcomeOf(client, DefineRecord(64, plan, 1)), Outcome::kUnknownPlan);
  EXPECT_EQ(OutcomeOf(client, DefineRecord(65'535, plan, 1)), Outcome::kUnknownPlan);
  EXPECT_EQ(OutcomeOf(client, DefineRecord(63, plan, 1)), Outcome::kDone);
}

TEST_F(AttackTest, GarbageInPlaceOfAPlanIsNoPlan) {
  RawClient client = IntruderWithXor();
  int bad = 0;
  for (int round = 0; round < 3'000; ++round) {
    std::vector<uint64_t> record = DefineRecord(
        static_cast<uint16_t>(random_() % 64),
        {Operation::kReconstruct, *Geometry::Make(Code::kReedSolomon, 4, 2), {0, 1, 2, 3}, {4}}, 1);
    for (uint64_t flips = 1 + random_() % 4; flips > 0; --flips) {
      record[4 + random_() % (record.size() - 4)] ^= uint64_t{1} << random_() % 64;
    }
    if (random_() % 8 == 0) {
      for (size_t i = 4; i < record.size(); ++i) record[i] = random_();
    }
    if (random_() % 8 == 0) {
      record.resize(4 + random_() % 200, random_());
      record[3] = record.size();
    }
    const Outcome outcome = OutcomeOf(client, record);
    ASSERT_TRUE(outcome == Outcome::kBadPlan || outcome == Outcome::kDone ||
                outcome == Outcome::kTooManyFactors)
        << static_cast<uint32_t>(outcome);
    if (outcome == Outcome::kBadPlan) ++bad;
    if (outcome == Outcome::kDone) {
      // Such a plan may ask for what cannot be; it is run all the same.
      const auto plan = static_cast<uint16_t>(record[0] >> 16);
      const std::optional<Plan> defined =
          PlanFrom(absl::MakeConstSpan(record).subspan(RecordHeader::kWords));
      ASSERT_TRUE(defined.has_value());
      const std::vector<uint64_t> places(RunWords(*defined, 1, false) - 4, 0);
      OutcomeOf(client, RunRecord(HeaderOf(plan, 1, 8), places, {}));
    }
  }
  EXPECT_GT(bad, 300);
  EXPECT_EQ(OutcomeOf(client, {RunRecord(HeaderOf(65, 1, 1), {}, {})}), Outcome::kUnknownPlan);
}

TEST_F(AttackTest, PlansAreBoundedInAll) {
  const Plan large{Operation::kEncode,
                   *Geometry::MakeCustom(128, 128, std::vector<uint8_t>(128 * 128, 1)),
                   {},
                   {}};
  RawClient client = Intruder();
  int defined = 0;
  for (uint16_t place = 0; place < 64; ++place) {
    const Outcome outcome = OutcomeOf(client, DefineRecord(place, large, 1));
    defined += outcome == Outcome::kDone ? 1 : 0;
    if (outcome != Outcome::kDone) {
      ASSERT_EQ(outcome, Outcome::kTooManyFactors);
    }
  }
  EXPECT_EQ(defined, static_cast<int>(kMaxPlanFactors / (128 * 128)));
}

TEST_F(AttackTest, OffsetsAndLengthsAtEveryEdgeAreFoundOrRefused) {
  RawClient client = IntruderWithXor();
  const uint64_t size = client.bytes();
  const uint64_t edges[] = {0,         1,         8,         size - 9,     size - 8,
                            size - 7,  size - 1,  size,      size + 1,     uint64_t{1} << 32,
                            kHalf - 8, kHalf,     kHalf + 8, kMost - 4095, kMost - size,
                            kMost - 8, kMost - 7, kMost};
  const uint64_t far = 4096;
  for (const uint64_t offset : edges) {
    const bool inside = offset <= size - 8;
    for (int which = 0; which < 3; ++which) {
      uint64_t places[] = {far, far + 8, far + 16};
      places[which] = offset;
      const Outcome outcome =
          OutcomeOf(client, RunRecord(HeaderOf(kPlan, 1, 8), {places[0], places[1]}, {places[2]}));
      EXPECT_EQ(outcome, inside ? Outcome::kDone : Outcome::kOutsideRegion) << offset;
    }
    // As the length of a source, and of all shards.
    const Outcome as_length =
        OutcomeOf(client, RunRecord(HeaderOf(kPlan, 1, 8), {0, 16}, {32}, {offset, 8}));
    EXPECT_EQ(as_length, offset <= 8 ? Outcome::kDone : Outcome::kBadLength) << offset;
    const Outcome as_bytes =
        OutcomeOf(client, RunRecord(HeaderOf(kPlan, 1, offset), {0, 16}, {32}));
    EXPECT_EQ(as_bytes, offset == 0 || offset > 8 ? Outcome::kBadShardBytes : Outcome::kDone)
        << offset;
    // Nothing but the shard itself is bounded by its length.
    EXPECT_EQ(OutcomeOf(client, RunRecord(HeaderOf(kPlan, 1, 8), {offset, 16}, {32}, {0, 8})),
              offset <= size ? Outcome::kDone : Outcome::kOutsideRegion)
        << offset;
  }
  for (const uint32_t stripes : {0u, kMaxStripes + 1, UINT32_MAX}) {
    EXPECT_EQ(OutcomeOf(client, RunRecord(HeaderOf(kPlan, stripes, 8), {0, 8}, {16})),
              Outcome::kBadStripes);
  }
}

TEST_F(AttackTest, AReportIsInTheRegionAndAligned) {
  RawClient client = IntruderWith({Operation::kVerify, *Geometry::Make(Code::kXor, 2, 1), {}, {}});
  const uint64_t size = client.bytes();
  const auto with_report = [&](uint64_t offset) {
    return OutcomeOf(client, RunRecord(HeaderOf(kPlan, 1, 8), {0, 8, 16}, {offset}));
  };
  EXPECT_EQ(with_report(24), Outcome::kDone);
  EXPECT_EQ(with_report(size - 32), Outcome::kDone);
  for (const uint64_t offset :
       {uint64_t{1}, uint64_t{4}, uint64_t{7}, size - 31, kMost, kMost - 1}) {
    EXPECT_EQ(with_report(offset), Outcome::kUnaligned) << offset;
  }
  for (const uint64_t offset : {size - 24, size - 8, size, size + 8, kHalf, kHalf + 8, kMost - 4095,
                                kMost - 31, kMost - 7}) {
    EXPECT_EQ(with_report(offset), Outcome::kOutsideRegion) << offset;
  }
  for (const uint64_t offset : {0, 8, 16}) {
    EXPECT_EQ(with_report(offset), Outcome::kOverlap) << offset;
  }
}

TEST_F(AttackTest, IdsAreTheClientsOwnEvenIfAllAreTheSame) {
  RawClient client = IntruderWithXor();
  for (int i = 0; i < 500; ++i) {
    client.Write(RunRecord(HeaderOf(kPlan, 1, 8, kMost), {0, 8}, {16}));
  }
  client.Publish();
  for (int i = 0; i < 500; ++i) {
    const auto ended = client.Take();
    ASSERT_TRUE(ended.has_value());
    ASSERT_EQ(ended->id, kMost);
    ASSERT_EQ(ended->outcome, Outcome::kDone);
  }
  EXPECT_FALSE(client.Take(std::chrono::milliseconds(1)).has_value());
}

TEST_F(AttackTest, AClientThatTakesNoCompletionsIsCutOffWhenThereAreTooMany) {
  RawClient client = Intruder();
  for (size_t i = 0; i < kCompletionEntries; ++i) client.Write(ShortestRecord(i));
  client.Publish();
  for (size_t i = 0; i < kCompletionEntries; ++i) {
    const auto ended = client.Take();
    ASSERT_TRUE(ended.has_value());
    ASSERT_EQ(ended->id, i);
  }
  // From here on it says that it has taken none.
  client.submissions().taken_completions.value = 0;
  for (size_t i = 0; i <= kCompletionEntries; ++i) client.Write(ShortestRecord());
  client.Publish();
  EXPECT_TRUE(client.AwaitClosed());
}

TEST_F(AttackTest, CompletionsTakenThatCannotBeEndTheConnection) {
  for (const uint64_t taken : {uint64_t{kCompletionEntries} + 1, uint64_t{kCompletionEntries} * 2,
                               kHalf, kMost, kMost - 1}) {
    RawClient client = Intruder();
    client.submissions().taken_completions.value = taken;
    for (size_t i = 0; i <= kCompletionEntries; ++i) client.Write(ShortestRecord());
    client.Publish();
    EXPECT_TRUE(client.AwaitClosed()) << taken;
  }
}

TEST_F(AttackTest, CompletionsTakenThatGoBackEndTheConnection) {
  RawClient client = Intruder();
  for (size_t round = 0; round < 3; ++round) {
    for (size_t i = 0; i < kCompletionEntries; ++i) {
      ASSERT_EQ(OutcomeOf(client, ShortestRecord()), Outcome::kUnknownPlan);
    }
  }
  client.submissions().taken_completions.value = kCompletionEntries;
  for (size_t i = 0; i <= kCompletionEntries; ++i) client.Write(ShortestRecord());
  client.Publish();
  EXPECT_TRUE(client.AwaitClosed());
}

// Records with headers that are nearly right, and words that are not. Whatever is a whole record
// gets one completion with its id, unless the connection ends.
TEST_F(AttackTest, RecordsOfGarbageGetOneCompletionEachOrEndTheConnection) {
  int completions = 0, ends = 0;
  for (int connection = 0; connection < 100; ++connection) {
    RawClient client = IntruderWithXor();
    for (int i = 0; i < 200; ++i) {
      RecordHeader header = HeaderOf(random_() % 4 == 0 ? random_() % 70 : kPlan, 1 + random_() % 3,
                                     random_() % 300, random_());
      std::vector<uint64_t> sources(2 * header.stripes), outputs(header.stripes);
      for (auto* places : {&sources, &outputs}) {
        for (uint64_t& place : *places) {
          place = random_() % 50 == 0 ? random_() : random_() % (client.bytes() + 50);
        }
      }
      std::vector<uint64_t> lengths(random_() % 2 == 0 ? sources.size() : 0);
      for (uint64_t& length : lengths) length = random_() % (header.shard_bytes + 2);
      std::vector<uint64_t> record = RunRecord(header, sources, outputs, lengths);
      if (random_() % 100 == 0) record[random_() % 4] ^= uint64_t{1} << random_() % 64;
      if (random_() % 2'000 == 0) {
        for (uint64_t& word : record) word = random_();
      }
      const uint64_t id = record[1];
      client.Write(record);
      client.Publish();
      const auto ended = client.Take();
      if (!ended.has_value()) {
        ++ends;
        break;
      }
      ASSERT_EQ(ended->id, id);
      ++completions;
    }
  }
  EXPECT_GT(completions, 1'000);
  EXPECT_GT(ends, 10);
}

TEST_F(AttackTest, WritingOverEverythingWhileJobsRunHarmsTheClientAlone) {
  const Geometry geometry = *Geometry::Make(Code::kReedSolomon, 4, 2);
  for (const Operation operation :
       {Operation::kEncode, Operation::kVerify, Operation::kUpdate, Operation::kReconstruct}) {
    Plan plan{operation, geometry, {}, {}};
    if (operation == Operation::kUpdate) plan.indices = {1};
    if (operation == Operation::kReconstruct) {
      plan.indices = {0, 1, 2, 3};
      plan.wanted = {4, 5};
    }
    for (int round = 0; round < 5; ++round) {
      RawClient client = Intruder(4 << 20);
      ASSERT_EQ(OutcomeOf(client, DefineRecord(kPlan, plan, 0)), Outcome::kDone);
      std::atomic<bool> done{false};
      std::thread scribbler([&, seed = round] {
        std::mt19937_64 random(seed);
        while (!done) {
          for (int i = 0; i < 1'000; ++i) {
            // Not the tail, or it would be over at once: that has its own tests.
            client.submissions().words[random() % kSubmissionWords].store(
                random() % 2 == 0 ? random() : random() % 5'000'000, std::memory_order_relaxed);
            client.data()[random() % client.bytes()] = static_cast<uint8_t>(random());
            client.submissions().sleeps.value = random() % 2;
          }
        }
      });
      std::vector<uint64_t> places;
      const size_t words = RunWords(plan, 1, false) - RecordHeader::kWords;
      for (size_t i = 0; i < words; ++i) places.push_back(i * 500'000);
      for (int i = 0; i < 200; ++i) {
        client.Write(RunRecord(HeaderOf(kPlan, 1, 500'000), places, {}));
        client.Publish();
        // None if the connection has ended, or the wake-up was scribbled away.
        if (!client.Take(std::chrono::milliseconds(20)).has_value()) break;
      }
      done = true;
      scribbler.join();
    }
    neighbour_.Round();
  }
}

TEST_F(AttackTest, WorkWithoutEndDoesNotStarveOthers) {
  const Plan plan{Operation::kEncode, *Geometry::Make(Code::kReedSolomon, 4, 2), {}, {}};
  ExpectOthersServed([&](const std::atomic<bool>& done) {
    RawClient client(server_.path());
    if (!client.ShakeHands(4 << 20)) return;
    client.Write(DefineRecord(kPlan, plan, 0));
    // As much as there is room for, and then something that ends it.
    for (int i = 0; i < 500; ++i) {
      client.Write(RunRecord(HeaderOf(kPlan, 1, 600'000), {0, 600'000, 1'200'000, 1'800'000},
                             {2'400'000, 3'000'000}));
    }
    client.Publish();
    for (int i = 0; i < 100 && !done; ++i) client.Take();
    client.PublishTail(random_());
    if (random_() % 2 == 0) client.AwaitClosed();
  });
}

// The dearest that a few words can ask for: a matrix of 128 rows is inverted for every byte.
TEST_F(AttackTest, PlansThatAreDearDoNotStarveOthers) {
  std::vector<uint8_t> generator(128 * 128);
  for (uint8_t& factor : generator) factor = static_cast<uint8_t>(random_() % 255 + 1);
  Plan plan{Operation::kReconstruct, *Geometry::MakeCustom(128, 128, generator), {}, {}};
  std::vector<uint64_t> places;
  for (uint32_t i = 0; i < 128; ++i) {
    plan.indices.push_back(128 + i);
    plan.wanted.push_back(i);
  }
  for (uint32_t i = 0; i < 256; ++i) places.push_back(i);
  ExpectOthersServed([&](const std::atomic<bool>& done) {
    RawClient client(server_.path());
    if (!client.ShakeHands()) return;
    while (!done) {
      for (int i = 0; i < 4; ++i) {
        client.Write(DefineRecord(kPlan, plan, 0));
        client.Write(RunRecord(HeaderOf(kPlan, 1, 1), places, {}));
      }
      client.Publish();
      for (int i = 0; i < 8; ++i) {
        if (!client.Take().has_value()) return;
      }
    }
  });
}

TEST_F(AttackTest, AClientThatGoesInTheMiddleOfItsJobsLeavesNothing) {
  const Geometry geometry = *Geometry::Make(Code::kReedSolomon, 4, 2);
  for (int round = 0; round < 50; ++round) {
    RawClient client = Intruder(4 << 20);
    client.Write(DefineRecord(kPlan, {Operation::kEncode, geometry, {}, {}}, 0));
    for (int i = 0; i < 300; ++i) {
      client.Write(RunRecord(HeaderOf(kPlan, 1, 600'000), {0, 600'000, 1'200'000, 1'800'000},
                             {2'400'000, 3'000'000}));
    }
    client.Publish();
    for (int i = 0; i < round % 5; ++i) client.Take();
  }
  neighbour_.Round();
}

}  // namespace
}  // namespace parity::shm
