#include "parity/shm/record.h"

#include <cstring>
#include <random>
#include <vector>

#include "../codec/stripe.h"
#include "gtest/gtest.h"
#include "parity/shm/layout.h"

namespace parity::shm {
namespace {

using codec::Code;
using codec::Geometry;
using codec::Matrix;

constexpr Operation kOperations[] = {Operation::kEncode, Operation::kReconstruct,
                                     Operation::kVerify, Operation::kUpdate};

bool Equal(const Plan& a, const Plan& b) {
  return a.operation == b.operation && a.geometry == b.geometry && a.indices == b.indices &&
         a.wanted == b.wanted;
}

// Of every code and matrix, the smallest and the largest among them.
std::vector<Geometry> Geometries() {
  std::vector<Geometry> geometries = codec::GeometriesUpTo(6);
  geometries.push_back(codec::LocalGroups());
  geometries.push_back(codec::Lopsided());
  geometries.push_back(*Geometry::MakeCustom(1, 1, {7}));
  geometries.push_back(*Geometry::MakeCustom(128, 128, codec::Bytes(128 * 128, 3)));
  geometries.push_back(*Geometry::MakeCustom(9, 7, codec::Bytes(63, 200)));
  geometries.push_back(*Geometry::Make(Code::kXor, 255, 1));
  geometries.push_back(*Geometry::Make(Code::kRaid6, 255, 2));
  geometries.push_back(*Geometry::Make(Code::kReedSolomon, 250, 6));
  geometries.push_back(*Geometry::Make(Code::kReedSolomon, 1, 255));
  geometries.push_back(*Geometry::Make(Code::kReedSolomon, 128, 128, Matrix::kVandermonde));
  return geometries;
}

std::vector<uint32_t> SomeIndices(std::mt19937& random, size_t most) {
  std::vector<uint32_t> indices(random() % (most + 1));
  for (uint32_t& index : indices) index = random() % 4 == 0 ? random() : random() % 257;
  return indices;
}

TEST(Plan, ComesBackFromItsWordsWhateverItIs) {
  std::mt19937 random(1);
  for (const Geometry& geometry : Geometries()) {
    for (const Operation operation : kOperations) {
      for (const size_t most : {size_t{0}, size_t{3}, size_t{Geometry::kMaxShards}}) {
        const Plan plan{operation, geometry, SomeIndices(random, most), SomeIndices(random, most)};
        const std::vector<uint64_t> words = PlanWords(plan);
        ASSERT_LE(RecordHeader::kWords + words.size(), kMaxRecordWords);
        const std::optional<Plan> back = PlanFrom(words);
        ASSERT_TRUE(back.has_value()) << codec::NameOf(geometry);
        ASSERT_TRUE(Equal(plan, *back)) << codec::NameOf(geometry);
      }
    }
  }
}

TEST(Plan, OfTheMostIndicesAndTheLargestGeneratorFitsARecord) {
  const std::vector<uint32_t> most(Geometry::kMaxShards, UINT32_MAX);
  const Plan plan{Operation::kReconstruct,
                  *Geometry::MakeCustom(128, 128, codec::Bytes(128 * 128, 255)), most, most};
  const std::vector<uint64_t> words = PlanWords(plan);
  EXPECT_LE(RecordHeader::kWords + words.size(), kMaxRecordWords);
  const std::optional<Plan> back = PlanFrom(words);
  ASSERT_TRUE(back.has_value());
  EXPECT_TRUE(Equal(plan, *back));
}

TEST(Plan, WordsTooFewOrTooManyAreNone) {
  std::mt19937 random(2);
  for (const Geometry& geometry : Geometries()) {
    const Plan plan{Operation::kReconstruct, geometry, SomeIndices(random, 9), {0}};
    std::vector<uint64_t> words = PlanWords(plan);
    for (size_t fewer = 0; fewer < words.size(); ++fewer) {
      ASSERT_FALSE(PlanFrom(absl::MakeConstSpan(words).first(fewer)).has_value()) << fewer;
    }
    words.push_back(0);
    ASSERT_FALSE(PlanFrom(words).has_value());
  }
}

TEST(Plan, MoreIndicesThanAnyStripeHasShardsAreNone) {
  const std::vector<uint32_t> too_many(Geometry::kMaxShards + 1, 0);
  const Geometry geometry = *Geometry::Make(Code::kXor, 2, 1);
  EXPECT_FALSE(PlanFrom(PlanWords({Operation::kReconstruct, geometry, too_many, {0}})));
  EXPECT_FALSE(PlanFrom(PlanWords({Operation::kReconstruct, geometry, {0}, too_many})));
}

TEST(Plan, AnIndexOfMoreThan32BitsIsNotCut) {
  std::vector<uint64_t> words =
      PlanWords({Operation::kReconstruct, *Geometry::Make(Code::kXor, 2, 1), {0, 2}, {1}});
  words[2] |= uint64_t{1} << 32;
  EXPECT_FALSE(PlanFrom(words));
}

TEST(Plan, AGeneratorOfAnotherSizeThanTheGeometrysIsNone) {
  const std::vector<uint64_t> words =
      PlanWords({Operation::kEncode, *Geometry::MakeCustom(4, 2, codec::Bytes(8, 1)), {}, {}});
  uint64_t second = words[1];
  const auto with_bytes = [&](uint32_t bytes, size_t count) {
    std::vector<uint64_t> changed = words;
    second = (second & UINT32_MAX) | uint64_t{bytes} << 32;
    changed[1] = second;
    changed.resize(count);
    return PlanFrom(changed);
  };
  EXPECT_TRUE(with_bytes(8, 3).has_value());
  for (const uint32_t bytes : {0u, 1u, 7u}) {
    EXPECT_FALSE(with_bytes(bytes, bytes == 0 ? 2 : 3).has_value()) << bytes;
  }
  for (const uint32_t bytes : {9u, 16u}) EXPECT_FALSE(with_bytes(bytes, 4).has_value()) << bytes;
  EXPECT_FALSE(with_bytes(UINT32_MAX, 3).has_value());
  EXPECT_FALSE(with_bytes(UINT32_MAX - 6, 2).has_value());
}

// Words as they come, and plans with some bits turned, which get further.
TEST(Plan, RandomWordsAreNoneOrAPlanThatComesBack) {
  std::mt19937_64 random(3);
  std::mt19937 small(3);
  const std::vector<Geometry> geometries = codec::GeometriesUpTo(5);
  int plans = 0;
  for (int round = 0; round < 200'000; ++round) {
    std::vector<uint64_t> words;
    if (round % 4 == 0) {
      words.resize(random() % 12);
      for (uint64_t& word : words) word = random() >> (random() % 64);
    } else {
      const Geometry& geometry =
          random() % 5 == 0 ? codec::Lopsided() : geometries[random() % geometries.size()];
      words = PlanWords(
          {kOperations[random() % 4], geometry, SomeIndices(small, 4), SomeIndices(small, 2)});
      for (uint64_t flips = random() % 3; flips > 0; --flips) {
        words[random() % words.size()] ^= uint64_t{1} << random() % 64;
      }
      if (random() % 8 == 0) words.resize(random() % (words.size() + 3));
    }
    const std::optional<Plan> plan = PlanFrom(words);
    if (!plan.has_value()) continue;
    ++plans;
    const std::optional<Plan> back = PlanFrom(PlanWords(*plan));
    ASSERT_TRUE(back.has_value());
    ASSERT_TRUE(Equal(*plan, *back));
    ASSERT_EQ(PlanWords(*plan).size(), words.size());
    ASSERT_LE(plan->indices.size(), Geometry::kMaxShards);
    ASSERT_LE(plan->wanted.size(), Geometry::kMaxShards);
  }
  EXPECT_GT(plans, 10'000);
}

TEST(Plan, CountsTheShardsOfItsOperation) {
  const Geometry geometry = *Geometry::Make(Code::kReedSolomon, 6, 3);
  const Plan encode{Operation::kEncode, geometry, {}, {}};
  EXPECT_EQ(encode.sources(), 6u);
  EXPECT_EQ(encode.outputs(), 3u);
  const Plan reconstruct{Operation::kReconstruct, geometry, {0, 1, 2, 3, 4, 6, 7}, {5, 8}};
  EXPECT_EQ(reconstruct.sources(), 7u);
  EXPECT_EQ(reconstruct.outputs(), 2u);
  const Plan verify{Operation::kVerify, geometry, {}, {}};
  EXPECT_EQ(verify.sources(), 9u);
  EXPECT_EQ(verify.outputs(), 0u);
  const Plan update{Operation::kUpdate, geometry, {4, 2}, {}};
  EXPECT_EQ(update.sources(), 7u);
  EXPECT_EQ(update.outputs(), 0u);
}

TEST(Run, WordsAreTheHeaderAndOneForEveryPlaceAndLength) {
  const Geometry geometry = *Geometry::Make(Code::kReedSolomon, 6, 3);
  const Plan encode{Operation::kEncode, geometry, {}, {}};
  EXPECT_EQ(RunWords(encode, 1, false), 4u + 6 + 3);
  EXPECT_EQ(RunWords(encode, 5, true), 4u + 5 * (6 + 6 + 3));
  const Plan verify{Operation::kVerify, geometry, {}, {}};
  EXPECT_EQ(RunWords(verify, 5, false), 4u + 5 * 9 + 1);
  EXPECT_EQ(RunWords(verify, 5, true), 4u + 2 * 5 * 9 + 1);
  const Plan update{Operation::kUpdate, geometry, {4, 2}, {}};
  EXPECT_EQ(RunWords(update, 2, false), 4u + 2 * 7);
}

TEST(Run, WordsDoNotOverflowForAnyNumberOfStripes) {
  const std::vector<uint32_t> most(Geometry::kMaxShards, 0);
  const Plan plan{Operation::kUpdate, *Geometry::Make(Code::kReedSolomon, 1, 255), most, {}};
  const uint64_t per_stripe = 2 * 257 + 255;
  EXPECT_EQ(RunWords(plan, UINT32_MAX, true), 4 + 2 * per_stripe * UINT32_MAX);
}

TEST(RecordHeader, ComesBackFromItsWords) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 10'000; ++round) {
    const RecordHeader header{random() % 2 == 0 ? RecordKind::kDefine : RecordKind::kRun,
                              random() % 2 == 0,
                              static_cast<uint16_t>(random()),
                              static_cast<uint32_t>(random()),
                              random(),
                              random(),
                              random()};
    uint64_t words[RecordHeader::kWords];
    header.Write(words);
    const RecordHeader back = RecordHeader::Read(words);
    ASSERT_EQ(back.kind, header.kind);
    ASSERT_EQ(back.has_lengths, header.has_lengths);
    ASSERT_EQ(back.plan, header.plan);
    ASSERT_EQ(back.stripes, header.stripes);
    ASSERT_EQ(back.id, header.id);
    ASSERT_EQ(back.shard_bytes, header.shard_bytes);
    ASSERT_EQ(back.words, header.words);
  }
}

TEST(RecordHeader, EveryPatternOfBitsCanBeRead) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 10'000; ++round) {
    uint64_t words[RecordHeader::kWords] = {random(), random(), random(), random()};
    const RecordHeader header = RecordHeader::Read(words);
    ASSERT_EQ(static_cast<uint8_t>(header.kind), words[0] & 0xff);
    uint64_t written[RecordHeader::kWords];
    header.Write(written);
    // All but the seven bits that mean nothing.
    words[0] &= ~uint64_t{0xfe00};
    ASSERT_EQ(std::memcmp(words, written, sizeof words), 0);
  }
}

TEST(Report, HasRoomForEveryMismatchThatIsNamed) {
  const Geometry geometry = *Geometry::Make(Code::kReedSolomon, 6, 3);
  EXPECT_EQ(ReportBytes(geometry, 1), 16u + 3 * 16);
  EXPECT_EQ(ReportBytes(geometry, 341), 16u + 1'023 * 16);
  EXPECT_EQ(ReportBytes(geometry, 342), 16u + 1'024 * 16);
  EXPECT_EQ(ReportBytes(*Geometry::Make(Code::kReedSolomon, 1, 255), UINT32_MAX), 16u + 1'024 * 16);
}

}  // namespace
}  // namespace parity::shm
