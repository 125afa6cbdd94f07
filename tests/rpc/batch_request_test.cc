// What unary requests can ask for beyond one stripe: several stripes, checksums, updates.
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parity/v1/parity.grpc.pb.h"
#include "parity/wire/limits.h"
#include "parity/wire/stripe_message.h"
#include "server_fixture.h"
#include "stripe_messages.h"

namespace parity::testing {
namespace {

using codec::Code;
using codec::Geometry;
using ::testing::HasSubstr;

class BatchRequest : public ::testing::TestWithParam<bool> {
 protected:
  bool packed() const { return GetParam(); }
  template <class Request>
  Request For(const Stripes& stripes, const std::vector<std::string>& shards) const {
    return RequestFor<Request>(wire::ToProto(stripes.geometry), shards, stripes.shard_bytes,
                               static_cast<uint32_t>(stripes.shards.size()), packed());
  }

  RunningServer server_;
  std::unique_ptr<v1::ParityService::Stub> stub_ = v1::ParityService::NewStub(server_.Connect());
};

TEST_P(BatchRequest, SeveralStripesAreEncodedInTheirOrder) {
  const Stripes stripes(*Geometry::Make(Code::kReedSolomon, 4, 2), 4096, 64, 1);
  grpc::ClientContext context;
  v1::EncodeResponse response;
  const auto request = For<v1::EncodeRequest>(stripes, stripes.Data());
  const grpc::Status status = stub_->Encode(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(ShardsIn(response), stripes.Parity());
  EXPECT_EQ(response.packed_shards().empty(), !packed());
  EXPECT_TRUE(response.checksums().empty());
}

TEST_P(BatchRequest, SeveralStripesWithTheSameLossAreRestored) {
  const Stripes stripes(*Geometry::Make(Code::kReedSolomon, 4, 2), 1001, 5, 2);
  auto request = For<v1::ReconstructRequest>(stripes, stripes.Pick({5, 0, 3, 1}));
  for (const uint32_t index : {5u, 0u, 3u, 1u}) request.add_present(index);
  grpc::ClientContext context;
  v1::ReconstructResponse response;
  const grpc::Status status = stub_->Reconstruct(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(ShardsIn(response), stripes.Pick({2, 4}));
  EXPECT_EQ(std::vector<uint32_t>(response.indices().begin(), response.indices().end()),
            (std::vector<uint32_t>{2, 4}));
}

TEST_P(BatchRequest, VerifyNamesTheStripe) {
  Stripes stripes(*Geometry::Make(Code::kReedSolomon, 4, 2), 300, 7, 3);
  stripes.shards[5][1][299] ^= 4;
  grpc::ClientContext context;
  v1::VerifyResponse response;
  const auto request = For<v1::VerifyRequest>(stripes, stripes.All());
  ASSERT_TRUE(stub_->Verify(&context, request, &response).ok());
  ASSERT_EQ(response.mismatches_size(), 2);
  EXPECT_EQ(response.mismatches(0).stripe(), 5u);
  EXPECT_EQ(response.mismatches(0).shard(), 4u);
  EXPECT_EQ(response.mismatches(1).shard(), 5u);
  EXPECT_EQ(response.mismatches(1).offset(), 299u);
  EXPECT_EQ(response.suspect(), 1u);
}

TEST_P(BatchRequest, VerifyNamesTheFirst1024Mismatches) {
  Stripes stripes(*Geometry::Make(Code::kReedSolomon, 1, 4), 1, 300, 11);
  for (auto& stripe : stripes.shards) stripe[0][0] ^= 1;  // each of 4 parity shards differs
  grpc::ClientContext context;
  v1::VerifyResponse response;
  const auto request = For<v1::VerifyRequest>(stripes, stripes.All());
  ASSERT_TRUE(stub_->Verify(&context, request, &response).ok());
  ASSERT_EQ(response.mismatches_size(), 1024);
  EXPECT_EQ(response.mismatches(1023).stripe(), 255u);
  EXPECT_TRUE(response.more_mismatches());
}

TEST_P(BatchRequest, UpdateGivesTheParityOfTheNewData) {
  const Geometry geometry = *Geometry::Make(Code::kReedSolomon, 5, 3);
  const Stripes before(geometry, 70'000, 3, 4);
  const Stripes other(geometry, 70'000, 3, 5);
  // Shards 4 and 1 become those of the other stripes.
  std::vector<std::string> shards;
  std::vector<std::string> parity;
  for (size_t s = 0; s < before.shards.size(); ++s) {
    for (const size_t i : {4, 1}) shards.push_back(before.shards[s][i]);
    for (const size_t i : {4, 1}) shards.push_back(other.shards[s][i]);
    for (const size_t i : {5, 6, 7}) shards.push_back(before.shards[s][i]);
  }
  Stripes after = before;
  for (size_t s = 0; s < before.shards.size(); ++s) {
    for (const size_t i : {4, 1}) after.shards[s][i] = other.shards[s][i];
  }
  auto request = For<v1::UpdateRequest>(before, shards);
  request.add_changed(4);
  request.add_changed(1);
  grpc::ClientContext context;
  v1::UpdateResponse response;
  const grpc::Status status = stub_->Update(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();

  grpc::ClientContext encode_context;
  v1::EncodeResponse encoded;
  const auto encode = For<v1::EncodeRequest>(after, after.Data());
  ASSERT_TRUE(stub_->Encode(&encode_context, encode, &encoded).ok());
  EXPECT_EQ(ShardsIn(response), ShardsIn(encoded));
}

TEST_P(BatchRequest, ChecksumsComeBackForTheComputedShards) {
  const Stripes stripes(*Geometry::Make(Code::kReedSolomon, 4, 2), 200'000, 3, 6);
  auto request = For<v1::EncodeRequest>(stripes, stripes.Data());
  for (const std::string& shard : stripes.Data()) request.add_checksums(Crc32cOf(shard));
  grpc::ClientContext context;
  v1::EncodeResponse response;
  const grpc::Status status = stub_->Encode(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  const std::vector<std::string> parity = stripes.Parity();
  EXPECT_EQ(ShardsIn(response), parity);
  ASSERT_EQ(response.checksums_size(), static_cast<int>(parity.size()));
  for (size_t i = 0; i < parity.size(); ++i) {
    EXPECT_EQ(response.checksums(static_cast<int>(i)), Crc32cOf(parity[i]));
  }
}

TEST_P(BatchRequest, AShardWithoutItsChecksumIsDataLoss) {
  const Stripes stripes(*Geometry::Make(Code::kReedSolomon, 4, 2), 5000, 2, 7);
  auto request = For<v1::VerifyRequest>(stripes, stripes.All());
  for (const std::string& shard : stripes.All()) request.add_checksums(Crc32cOf(shard));
  request.set_checksums(7, request.checksums(7) ^ 0x10);
  grpc::ClientContext context;
  v1::VerifyResponse response;
  const grpc::Status status = stub_->Verify(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::DATA_LOSS) << status.error_message();
  EXPECT_EQ(FieldIn(status), "shards[7]");
  EXPECT_THAT(status.error_message(), HasSubstr("CRC32C 0x"));
}

TEST_P(BatchRequest, TheNumberOfChecksumsIsThatOfTheShards) {
  const Stripes stripes(*Geometry::Make(Code::kReedSolomon, 4, 2), 50, 1, 8);
  auto request = For<v1::EncodeRequest>(stripes, stripes.Data());
  for (int i = 0; i < 3; ++i) request.add_checksums(0);
  grpc::ClientContext context;
  v1::EncodeResponse response;
  const grpc::Status status = stub_->Encode(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(FieldIn(status), "checksums");
}

TEST_P(BatchRequest, StripesOfAMessageAtTheirLimit) {
  constexpr uint32_t kLimit = wire::kMaxStripesPerMessage;
  for (const uint32_t count : {kLimit - 1, kLimit, kLimit + 1}) {
    const Stripes stripes(*Geometry::Make(Code::kXor, 2, 1), 1, count, 9);
    grpc::ClientContext context;
    v1::EncodeResponse response;
    const auto request = For<v1::EncodeRequest>(stripes, stripes.Data());
    const grpc::Status status = stub_->Encode(&context, request, &response);
    if (count <= kLimit) {
      ASSERT_TRUE(status.ok()) << status.error_message();
      EXPECT_EQ(ShardsIn(response), stripes.Parity());
    } else {
      EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
      EXPECT_EQ(FieldIn(status), "stripes");
    }
  }
}

TEST_P(BatchRequest, StatsCountRequestsStripesAndRuns) {
  const Stripes stripes(*Geometry::Make(Code::kReedSolomon, 4, 2), 4096, 10, 10);
  grpc::ClientContext context;
  v1::EncodeResponse response;
  const auto request = For<v1::EncodeRequest>(stripes, stripes.Data());
  ASSERT_TRUE(stub_->Encode(&context, request, &response).ok());
  grpc::ClientContext wrong_context;
  EXPECT_FALSE(stub_->Encode(&wrong_context, v1::EncodeRequest(), &response).ok());

  grpc::ClientContext stats_context;
  v1::GetServerStatsResponse stats;
  ASSERT_TRUE(stub_->GetServerStats(&stats_context, {}, &stats).ok());
  EXPECT_EQ(stats.requests(), 1u);
  EXPECT_EQ(stats.stripes(), 10u);
  EXPECT_EQ(stats.source_bytes(), 10u * 4 * 4096);
  EXPECT_EQ(stats.failed_requests(), 1u);
  EXPECT_EQ(stats.batches(), 1u);
  uint64_t bytes = 0;
  for (const auto& runs : stats.runs()) bytes += runs.bytes();
  EXPECT_EQ(bytes, 10u * 4096);
}

INSTANTIATE_TEST_SUITE_P(Forms, BatchRequest, ::testing::Values(false, true),
                         [](const auto& form) { return form.param ? "Packed" : "Repeated"; });

}  // namespace
}  // namespace parity::testing
