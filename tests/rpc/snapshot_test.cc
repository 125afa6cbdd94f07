// What Server::snapshot says after calls, streams and refusals, and while the server stops.
#include <chrono>
#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "gtest/gtest.h"
#include "parity/v1/parity.grpc.pb.h"
#include "server_fixture.h"

namespace parity::testing {
namespace {

v1::EncodeRequest EncodeRequestOf(size_t bytes) {
  v1::EncodeRequest request;
  request.mutable_geometry()->set_code(v1::CODE_REED_SOLOMON);
  request.mutable_geometry()->set_data_shards(3);
  request.mutable_geometry()->set_parity_shards(2);
  for (int i = 0; i < 3; ++i) request.add_shards(std::string(bytes, static_cast<char>('a' + i)));
  return request;
}

class SnapshotTest : public ::testing::Test {
 protected:
  SnapshotTest() : stub_(v1::ParityService::NewStub(server_.Connect())) {}

  stats::Snapshot Now() { return server_.server().snapshot(); }
  // Of gRPC.
  stats::OperationCounts Counts(size_t operation) {
    return Now().services.at(0).operations.at(operation);
  }

  v1::EncodeResponse Encode(const v1::EncodeRequest& request, grpc::StatusCode want) {
    grpc::ClientContext context;
    v1::EncodeResponse response;
    const grpc::Status status = stub_->Encode(&context, request, &response);
    EXPECT_EQ(status.error_code(), want) << status.error_message();
    return response;
  }

  RunningServer server_;
  std::unique_ptr<v1::ParityService::Stub> stub_;
};

constexpr size_t kEncode = 0;
constexpr size_t kReconstruct = 1;
constexpr size_t kVerify = 2;

TEST_F(SnapshotTest, CountsByOperationAndCode) {
  const v1::EncodeResponse encoded = Encode(EncodeRequestOf(1000), grpc::StatusCode::OK);
  v1::EncodeRequest wrong = EncodeRequestOf(1000);
  wrong.mutable_geometry()->set_data_shards(4);
  Encode(wrong, grpc::StatusCode::INVALID_ARGUMENT);
  v1::VerifyRequest verify;
  *verify.mutable_geometry() = EncodeRequestOf(1).geometry();
  const v1::EncodeRequest data = EncodeRequestOf(1000);
  for (const std::string& shard : data.shards()) verify.add_shards(shard);
  for (const std::string& shard : encoded.shards()) verify.add_shards(shard);
  v1::VerifyResponse verified;
  grpc::ClientContext context;
  ASSERT_TRUE(stub_->Verify(&context, verify, &verified).ok());
  v1::ReconstructRequest few;
  *few.mutable_geometry() = verify.geometry();
  few.add_present(0);
  few.add_shards("x");
  v1::ReconstructResponse reconstructed;
  grpc::ClientContext other;
  EXPECT_EQ(stub_->Reconstruct(&other, few, &reconstructed).error_code(),
            grpc::StatusCode::FAILED_PRECONDITION);

  const stats::OperationCounts encodes = Counts(kEncode);
  EXPECT_EQ(encodes.requests[grpc::StatusCode::OK], 1u);
  EXPECT_EQ(encodes.requests[grpc::StatusCode::INVALID_ARGUMENT], 1u);
  EXPECT_EQ(encodes.stripes, 1u);
  EXPECT_EQ(encodes.source_bytes, 3000u);
  EXPECT_EQ(encodes.computed_bytes, 2000u);
  EXPECT_EQ(Counts(kVerify).requests[grpc::StatusCode::OK], 1u);
  EXPECT_EQ(Counts(kVerify).source_bytes, 5000u);
  EXPECT_EQ(Counts(kVerify).computed_bytes, 0u);
  EXPECT_EQ(Counts(kReconstruct).requests[grpc::StatusCode::FAILED_PRECONDITION], 1u);
  EXPECT_EQ(stats::GoodRequests(Now().services[0]), 2u);
  EXPECT_EQ(stats::FailedRequests(Now().services[0]), 2u);
}

TEST_F(SnapshotTest, RequestsOfAStreamCountOneByOne) {
  grpc::ClientContext context;
  const auto stream = stub_->Process(&context);
  for (uint64_t id = 0; id < 5; ++id) {
    v1::ProcessRequest request;
    request.set_id(id);
    *request.mutable_encode() = EncodeRequestOf(100);
    if (id == 3) request.mutable_encode()->mutable_geometry()->set_data_shards(9);
    ASSERT_TRUE(stream->Write(request));
  }
  stream->WritesDone();
  v1::ProcessResponse response;
  while (stream->Read(&response)) continue;
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(Counts(kEncode).requests[grpc::StatusCode::OK], 4u);
  EXPECT_EQ(Counts(kEncode).requests[grpc::StatusCode::INVALID_ARGUMENT], 1u);
}

TEST_F(SnapshotTest, KnowsWorkersAndConnections) {
  const stats::Snapshot before = Now();
  ASSERT_FALSE(before.workers.empty());
  EXPECT_EQ(before.connections, 0u);
  Encode(EncodeRequestOf(1'000'000), grpc::StatusCode::OK);
  const stats::Snapshot after = Now();
  uint64_t requests = 0;
  uint64_t connections = 0;
  double busy = 0;
  for (size_t i = 0; i < after.workers.size(); ++i) {
    requests += after.workers[i].requests;
    connections += after.workers[i].connections;
    busy += after.workers[i].busy_seconds - before.workers[i].busy_seconds;
  }
  EXPECT_EQ(requests, 1u);
  EXPECT_EQ(connections, 1u);
  EXPECT_GT(busy, 0);
  EXPECT_EQ(after.connections, 1u);
  EXPECT_EQ(after.accepted_connections, 1u);
  EXPECT_GT(after.connections_limit, 1u);
  EXPECT_GT(after.held_bytes_limit, 0u);
  EXPECT_FALSE(after.kernels.empty());
  EXPECT_EQ(after.addresses.size(), 2u);
}

TEST_F(SnapshotTest, AWorkerThatWaitsIsNotBusy) {
  Encode(EncodeRequestOf(100), grpc::StatusCode::OK);
  // Sooner or later every worker waits, and then none is busy for as long as nobody calls.
  const auto all = [this] {
    double busy = 0;
    for (const stats::Worker& worker : Now().workers) busy += worker.busy_seconds;
    return busy;
  };
  double before = all();
  for (double now; (now = all()) != before; before = now) std::this_thread::yield();
  EXPECT_GT(before, 0);
}

TEST_F(SnapshotTest, BeforeItStopsItSaysSoAndServes) {
  EXPECT_TRUE(Now().serving);
  EXPECT_FALSE(Now().draining);
  EXPECT_EQ(Now().drain_started_seconds, 0);
  const auto health = grpc::health::v1::Health::NewStub(server_.Connect());
  const auto says = [&health] {
    grpc::ClientContext context;
    grpc::health::v1::HealthCheckResponse response;
    EXPECT_TRUE(health->Check(&context, {}, &response).ok());
    return response.status();
  };
  EXPECT_EQ(says(), grpc::health::v1::HealthCheckResponse::SERVING);
  server_.server().AnnounceStop();
  EXPECT_FALSE(Now().serving);
  EXPECT_TRUE(Now().draining);
  const double started = Now().drain_started_seconds;
  EXPECT_GT(started, 1.6e9);
  while (says() != grpc::health::v1::HealthCheckResponse::NOT_SERVING) std::this_thread::yield();
  Encode(EncodeRequestOf(100), grpc::StatusCode::OK);
  // On a new connection too.
  const auto other = v1::ParityService::NewStub(server_.Connect());
  grpc::ClientContext context;
  v1::EncodeResponse response;
  EXPECT_TRUE(other->Encode(&context, EncodeRequestOf(100), &response).ok());
  server_.server().AnnounceStop();
  EXPECT_EQ(Now().drain_started_seconds, started);
}

}  // namespace
}  // namespace parity::testing
