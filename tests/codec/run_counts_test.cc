#include "parity/codec/run_counts.h"

#include "gtest/gtest.h"
#include "parity/codec/batch.h"
#include "parity/kernels/dispatch.h"
#include "stripe.h"

namespace parity::codec {
namespace {

alignas(64) const uint8_t kMemory[1024] = {};

const uint8_t* At(size_t offset) { return kMemory + offset; }

TEST(AlignmentOf, ComparesTheSourcesToLinesAndToEachOther) {
  EXPECT_EQ(AlignmentOf({At(64)}), Alignment::kAligned);
  EXPECT_EQ(AlignmentOf({At(64), At(640)}), Alignment::kAligned);
  EXPECT_EQ(AlignmentOf({At(65)}), Alignment::kEqual);
  EXPECT_EQ(AlignmentOf({At(72), At(136), At(8)}), Alignment::kEqual);
  EXPECT_EQ(AlignmentOf({At(64), At(65)}), Alignment::kMixed);
  EXPECT_EQ(AlignmentOf({At(72), At(136), At(96)}), Alignment::kMixed);
}

TEST(RunCounts, CountsByLengthAndAlignment) {
  RunCounts counts;
  const uint8_t* const aligned[] = {At(64), At(128)};
  const uint8_t* const mixed[] = {At(64), At(130)};
  counts.Add(aligned, 1);
  counts.Add(aligned, 4096);
  counts.Add(aligned, 2049);
  counts.Add(aligned, 4097);
  counts.Add(mixed, 4096);
  counts.Add(mixed, size_t{1} << 40);
  EXPECT_EQ(counts.count(0, Alignment::kAligned), 1u);
  EXPECT_EQ(counts.count(11, Alignment::kAligned), 0u);
  EXPECT_EQ(counts.count(12, Alignment::kAligned), 2u);
  EXPECT_EQ(counts.bytes(12, Alignment::kAligned), 4096u + 2049u);
  EXPECT_EQ(counts.count(13, Alignment::kAligned), 1u);
  EXPECT_EQ(counts.count(12, Alignment::kMixed), 1u);
  EXPECT_EQ(counts.count(40, Alignment::kMixed), 1u);
  EXPECT_EQ(counts.count(12, Alignment::kEqual), 0u);
}

TEST(RunCounts, ABatchCountsTheRunsOfItsJobs) {
  std::mt19937 random(1);
  const Geometry geometry = *Geometry::Make(Code::kReedSolomon, 2, 2);
  const Bytes a = Noise(1000, random);
  const Bytes b = Noise(1000, random);
  const Segment segments[] = {{a.data(), 300}, {a.data() + 300, 700}, {b.data(), 1000}};
  const Shard data[] = {{&segments[0], 2}, {&segments[2], 1}};
  Bytes p(1000), q(1000);
  Batch batch(**kernels::SelectTable("scalar"));
  ASSERT_TRUE(Codec(geometry).Encode(data, 1000, {p.data(), q.data()}, batch).ok());
  uint64_t runs = 0;
  uint64_t bytes = 0;
  for (size_t length = 0; length < RunCounts::kLengths; ++length) {
    for (const Alignment alignment : {Alignment::kAligned, Alignment::kEqual, Alignment::kMixed}) {
      runs += batch.runs().count(length, alignment);
      bytes += batch.runs().bytes(length, alignment);
    }
  }
  EXPECT_EQ(runs, 2u);
  EXPECT_EQ(bytes, 1000u);
}

}  // namespace
}  // namespace parity::codec
