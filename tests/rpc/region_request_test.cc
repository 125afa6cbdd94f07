// Requests whose shards lie in shared memory: the same answers as of shards that travel.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parity/codec/geometry.h"
#include "parity/v1/parity.grpc.pb.h"
#include "parity/wire/stripe_message.h"
#include "region_fixture.h"
#include "server_fixture.h"
#include "stripe_messages.h"

namespace parity::testing {
namespace {

using codec::Code;
using codec::Geometry;
using codec::Matrix;

// What all answers but that of Verify have.
struct Computed {
  std::vector<std::string> shards;
  std::vector<uint32_t> checksums;
  std::vector<uint32_t> indices;
  uint64_t shard_bytes = 0;
};

template <class Response>
Computed ComputedIn(const Response& response) {
  Computed computed;
  computed.shards = ShardsIn(response);
  computed.checksums.assign(response.checksums().begin(), response.checksums().end());
  computed.shard_bytes = response.shard_bytes();
  return computed;
}

Computed ComputedIn(const v1::ProcessResponse& response) {
  if (response.has_encode()) return ComputedIn(response.encode());
  if (response.has_update()) return ComputedIn(response.update());
  Computed computed = ComputedIn(response.reconstruct());
  computed.indices.assign(response.reconstruct().indices().begin(),
                          response.reconstruct().indices().end());
  return computed;
}

TEST_P(RegionRequest, IsAnsweredAsOneWhoseShardsTravel) {
  ClientRegion region(*table_, 6 << 20);
  const Geometry geometries[] = {*Geometry::Make(Code::kXor, 3, 1),
                                 *Geometry::Make(Code::kRaid6, 4, 2),
                                 *Geometry::Make(Code::kReedSolomon, 4, 3),
                                 *Geometry::Make(Code::kReedSolomon, 2, 2, Matrix::kVandermonde),
                                 *Geometry::MakeCustom(3, 2, {1, 2, 3, 7, 8, 9})};
  uint32_t seed = 0;
  for (const Geometry& geometry : geometries) {
    for (const size_t bytes : {1, 4096, 150'001}) {
      for (const uint32_t count : {1, 3}) {
        const Stripes stripes(geometry, bytes, count, ++seed);
        for (const bool shortened : {false, true}) {
          for (const bool checksums : {false, true}) {
            for (const auto& travelling : EveryOperation(stripes, shortened, checksums)) {
              SCOPED_TRACE(::testing::Message()
                           << "operation " << travelling.request_case() << ", geometry " << seed
                           << ", " << bytes << " bytes, " << count << " stripes"
                           << (shortened ? ", shortened" : "") << (checksums ? ", summed" : ""));
              const Answered want = AskInACall(travelling);
              ASSERT_TRUE(want.status.ok()) << want.status.error_message();
              region.Clear();
              std::vector<uint64_t> outputs;
              const bool verify = travelling.has_verify();
              const Computed wanted = verify ? Computed() : ComputedIn(want.response);
              const auto moved = Move(travelling, region, wanted.shards.size(), &outputs);
              std::string memory = region.All();
              const Answered got = Ask(moved);
              ASSERT_TRUE(got.status.ok()) << got.status.error_message();
              if (verify) {
                EXPECT_EQ(got.response.verify().SerializeAsString(),
                          want.response.verify().SerializeAsString());
              } else {
                const Computed computed = ComputedIn(got.response);
                EXPECT_TRUE(computed.shards.empty());
                EXPECT_EQ(computed.checksums, wanted.checksums);
                EXPECT_EQ(computed.checksums.empty(), !checksums);
                EXPECT_EQ(computed.indices, wanted.indices);
                EXPECT_EQ(computed.shard_bytes, bytes);
                ASSERT_EQ(outputs.size(), wanted.shards.size());
                for (size_t i = 0; i < outputs.size(); ++i) {
                  memory.replace(outputs[i], bytes, wanted.shards[i]);
                }
              }
              ASSERT_TRUE(region.All() == memory) << "what was not computed, or beside it";
            }
          }
        }
      }
    }
  }
}

TEST_P(RegionRequest, ComputesChosenShards) {
  ClientRegion region(*table_, 1 << 20);
  const Stripes stripes(*Geometry::Make(Code::kReedSolomon, 4, 3), 5000, 2, 1);
  v1::ProcessRequest request;
  auto& reconstruct = *request.mutable_reconstruct();
  reconstruct = RequestFor<v1::ReconstructRequest>(wire::ToProto(stripes.geometry),
                                                   stripes.Pick({6, 0, 3, 1}), 5000, 2, false);
  for (const uint32_t index : {6, 0, 3, 1}) reconstruct.add_present(index);
  for (const uint32_t index : {5, 2}) reconstruct.add_wanted(index);
  std::vector<uint64_t> outputs;
  const Answered got = Ask(Move(request, region, 4, &outputs));
  ASSERT_TRUE(got.status.ok()) << got.status.error_message();
  EXPECT_THAT(got.response.reconstruct().indices(), ::testing::ElementsAre(5, 2));
  std::vector<std::string> shards;
  for (const uint64_t offset : outputs) shards.push_back(region.Get(offset, 5000));
  EXPECT_EQ(shards, stripes.Pick({5, 2}));
}

TEST_P(RegionRequest, AShardWithoutItsChecksumIsDataLoss) {
  ClientRegion region(*table_, 4 << 20);
  const Stripes stripes(*Geometry::Make(Code::kReedSolomon, 4, 2), 5000, 2, 7);
  for (v1::ProcessRequest travelling : EveryOperation(stripes, false, true)) {
    std::vector<uint64_t> outputs;
    Visit(travelling, [](auto& request) {
      const int last = request.checksums_size() - 1;
      request.set_checksums(last, request.checksums(last) ^ 0x10);
    });
    const int last = [&] {
      int count = 0;
      Visit(travelling, [&](const auto& request) { count = request.checksums_size(); });
      return count - 1;
    }();
    const size_t computed = travelling.has_encode() ? 4 : travelling.has_reconstruct() ? 2 : 0;
    const Answered got = Ask(Move(travelling, region, computed, &outputs));
    EXPECT_EQ(got.status.error_code(), grpc::StatusCode::DATA_LOSS);
    EXPECT_EQ(FieldIn(got.status), "shards[" + std::to_string(last) + "]")
        << got.status.error_message();
  }
}

TEST_P(RegionRequest, IsNotBoundByTheLengthOfMessagesNorHeld) {
  rpc::Limits limits;
  limits.max_message_bytes = 64 << 10;
  limits.max_held_bytes = 64 << 10;
  RunningServer server(limits, "", std::nullopt, table_);
  stub_ = v1::ParityService::NewStub(server.Connect());
  ClientRegion region(*table_, 7 << 20);
  const Stripes stripes(*Geometry::Make(Code::kReedSolomon, 4, 2), 1 << 20, 1, 1);
  v1::ProcessRequest request;
  *request.mutable_encode() = RequestFor<v1::EncodeRequest>(
      wire::ToProto(stripes.geometry), stripes.Data(), stripes.shard_bytes, 1, false);
  std::vector<uint64_t> outputs;
  const v1::ProcessRequest moved = Move(request, region, 2, &outputs);
  for (int round = 0; round < 5; ++round) {
    for (const uint64_t offset : outputs) std::fill_n(region.data() + offset, 1 << 20, uint8_t{7});
    const Answered got = Ask(moved);
    ASSERT_TRUE(got.status.ok()) << got.status.error_message();
    EXPECT_TRUE(region.Get(outputs[0], 1 << 20) == stripes.shards[0][4]);
    EXPECT_TRUE(region.Get(outputs[1], 1 << 20) == stripes.shards[0][5]);
  }
  AwaitNothingHeld(*stub_);
  EXPECT_EQ(StatsOf(*stub_).requests(), 5u);
  EXPECT_EQ(StatsOf(*stub_).source_bytes(), uint64_t{5} * 4 * (1 << 20));
}

INSTANTIATE_TEST_SUITE_P(Ways, RegionRequest, ::testing::Bool(),
                         [](const auto& way) { return way.param ? "Stream" : "Call"; });

}  // namespace
}  // namespace parity::testing
