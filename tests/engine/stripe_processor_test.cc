#include "parity/engine/stripe_processor.h"

#include <vector>

#include "gtest/gtest.h"
#include "parity/codec/geometry.h"
#include "parity/kernels/dispatch.h"

namespace parity::engine {
namespace {

using codec::Code;
using codec::Geometry;

class StripeProcessorTest : public ::testing::Test {
 protected:
  StripeProcessor processor_{**kernels::SelectTable("scalar"), BufferPool::Make(1 << 20)};
};

std::vector<uint8_t> Bytes(const ComputedShards& shards) {
  return {shards.buffer.data(), shards.buffer.data() + shards.count * shards.shard_bytes};
}

TEST_F(StripeProcessorTest, RunComputesEverythingQueued) {
  const std::vector<uint8_t> a = {1, 2, 3};
  const std::vector<uint8_t> b = {4, 8, 16};
  const codec::Segment segments[] = {{a.data(), 3}, {b.data(), 3}};
  const codec::Shard data[] = {{&segments[0], 1}, {&segments[1], 1}};
  // Two geometries in one batch: the first codec is replaced before its jobs run.
  const auto parity = processor_.Encode(*Geometry::Make(Code::kXor, 2, 1), data, 3);
  const auto pq = processor_.Encode(*Geometry::Make(Code::kRaid6, 2, 2), data, 3);
  ASSERT_TRUE(parity.ok() && pq.ok());
  const uint32_t present[] = {2, 0};
  const codec::Segment left_segments[] = {{parity->buffer.data(), 3}, {a.data(), 3}};
  processor_.Run();
  EXPECT_EQ(Bytes(*parity), (std::vector<uint8_t>{5, 10, 19}));
  EXPECT_EQ(Bytes(*pq), (std::vector<uint8_t>{5, 10, 19, 1 ^ 8, 2 ^ 16, 3 ^ 32}));

  const codec::Shard left[] = {{&left_segments[0], 1}, {&left_segments[1], 1}};
  const auto restored =
      processor_.Reconstruct(*Geometry::Make(Code::kXor, 2, 1), present, left, 3, {1});
  ASSERT_TRUE(restored.ok()) << restored.status();
  processor_.Run();
  EXPECT_EQ(Bytes(*restored), b);
}

TEST_F(StripeProcessorTest, NoMemoryIsAnErrorNotACrash) {
  const codec::Segment segments[] = {{nullptr, 0}, {nullptr, 0}};
  const codec::Shard data[] = {{&segments[0], 1}, {&segments[1], 1}};
  const auto parity = processor_.Encode(*Geometry::Make(Code::kXor, 2, 1), data, size_t{1} << 41);
  EXPECT_TRUE(absl::IsResourceExhausted(parity.status())) << parity.status();
}

TEST_F(StripeProcessorTest, ARefusedRequestQueuesNothing) {
  const codec::Segment segments[] = {{nullptr, 0}};
  const codec::Shard data[] = {{&segments[0], 1}};
  EXPECT_FALSE(processor_.Encode(*Geometry::Make(Code::kXor, 2, 1), data, 100).ok());
  processor_.Run();  // would write to the buffer that the refused request gave back
}

}  // namespace
}  // namespace parity::engine
