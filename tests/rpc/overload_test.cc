// More than the server may hold, and calls for which nobody waits.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bare_peers.h"
#include "client/remote_only.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parity/v1/parity.grpc.pb.h"
#include "parity/wire/status.h"
#include "parity/wire/stripe_message.h"
#include "server_fixture.h"
#include "stripe_messages.h"

namespace parity::testing {
namespace {

using codec::Code;
using codec::Geometry;
using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr uint64_t kMiB = 1 << 20;

rpc::Limits WithBudget(uint64_t bytes) {
  rpc::Limits limits;
  limits.max_held_bytes = bytes;
  return limits;
}

// A small request for an answer of this size.
v1::EncodeRequest RequestFor(uint64_t answer_bytes) {
  v1::EncodeRequest request;
  *request.mutable_geometry() = wire::ToProto(*Geometry::Make(Code::kXor, 1, 1));
  request.set_shard_bytes(answer_bytes);
  request.add_shards("x");
  return request;
}

grpc::Status Encode(v1::ParityService::Stub& stub, const v1::EncodeRequest& request) {
  grpc::ClientContext context;
  v1::EncodeResponse response;
  return stub.Encode(&context, request, &response);
}

TEST(Overload, ARequestAtTheLimitOfWhatMayBeHeld) {
  // Held are the request, its answer, 1 KiB, and 64 and 160 bytes for a shard of either.
  const v1::EncodeRequest request = RequestFor(kMiB);
  const uint64_t needed = request.ByteSizeLong() + kMiB + 1024 + 64 + 160;
  for (const uint64_t limit : {needed + 1, needed, needed - 1}) {
    RunningServer server(WithBudget(limit));
    const auto stub = v1::ParityService::NewStub(server.Connect());
    const grpc::Status status = Encode(*stub, request);
    if (limit >= needed) {
      EXPECT_TRUE(status.ok()) << status.error_message();
    } else {
      EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
      EXPECT_EQ(FieldIn(status), "message");  // to wait would not help
      EXPECT_THAT(status.error_message(), HasSubstr("send the stripe as slices"));
    }
    AwaitNothingHeld(*stub);
  }
}

// What is held counts what the shards cost, not only their bytes.
TEST(Overload, ManySmallShardsAreHeldForWhatTheyCost) {
  RunningServer server(WithBudget(16 * kMiB));
  const auto stub = v1::ParityService::NewStub(server.Connect());
  v1::EncodeRequest request;
  *request.mutable_geometry() = wire::ToProto(*Geometry::Make(Code::kReedSolomon, 1, 255));
  request.set_stripes(1024);
  for (int i = 0; i < 1024; ++i) request.add_shards("x");
  EXPECT_EQ(Encode(*stub, request).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  request.clear_shards();
  request.set_shard_bytes(1);
  request.set_packed_shards(std::string(1024, 'x'));
  EXPECT_TRUE(Encode(*stub, request).ok());
  AwaitNothingHeld(*stub);
}

// A stream whose answers nobody reads, so that the server holds them.
class Hoarder {
 public:
  Hoarder(const RunningServer& server, int requests, uint64_t answer_bytes)
      : stub_(v1::ParityService::NewStub(server.Connect())), stream_(stub_->Process(&context_)) {
    v1::ProcessRequest request;
    *request.mutable_encode() = RequestFor(answer_bytes);
    for (int i = 0; i < requests; ++i) {
      request.set_id(static_cast<uint64_t>(i));
      EXPECT_TRUE(stream_->Write(request));
    }
    stream_->WritesDone();
  }

  // All of them.
  std::vector<v1::ProcessResponse> Answers() {
    std::vector<v1::ProcessResponse> answers;
    v1::ProcessResponse response;
    while (stream_->Read(&response)) answers.push_back(response);
    EXPECT_TRUE(stream_->Finish().ok());
    return answers;
  }

 private:
  std::unique_ptr<v1::ParityService::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::ProcessRequest, v1::ProcessResponse>> stream_;
};

TEST(Overload, WhatIsBeyondTheBudgetIsRefusedWithATimeToTryAgain) {
  RunningServer server(WithBudget(16 * kMiB));
  const auto stub = v1::ParityService::NewStub(server.Connect());
  Hoarder hoarder(server, 60, kMiB);
  while (StatsOf(*stub).refused_requests() == 0) std::this_thread::yield();
  EXPECT_LE(StatsOf(*stub).held_bytes(), 16 * kMiB);

  // Who hoards may hold half of it: another client finds room.
  EXPECT_TRUE(Encode(*stub, RequestFor(2 * kMiB)).ok());

  size_t refused = 0;
  for (const v1::ProcessResponse& answer : hoarder.Answers()) {
    if (!answer.has_error()) continue;
    ++refused;
    const absl::Status status = wire::FromProto(answer.error());
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    EXPECT_GE(wire::RetryDelayOf(status).value_or(absl::ZeroDuration()), absl::Milliseconds(5));
    EXPECT_THAT(std::string(status.message()), HasSubstr("overloaded: the server holds"));
  }
  EXPECT_GT(refused, 0u);
  EXPECT_LT(refused, 60u);
  EXPECT_EQ(StatsOf(*stub).refused_requests(), refused);
  AwaitNothingHeld(*stub);
  EXPECT_TRUE(Encode(*stub, RequestFor(8 * kMiB)).ok());
}

TEST(Overload, ARefusedCallSaysWhenToTryAgainInItsTrailerToo) {
  RunningServer server(WithBudget(16 * kMiB));
  const auto stub = v1::ParityService::NewStub(server.Connect());
  Hoarder hoarder(server, 60, kMiB);
  while (StatsOf(*stub).refused_requests() == 0) std::this_thread::yield();
  grpc::ClientContext context;
  v1::EncodeResponse response;
  const grpc::Status status = stub->Encode(&context, RequestFor(12 * kMiB), &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << status.error_message();
  const absl::Status inside = wire::FromGrpc(status);
  ASSERT_TRUE(wire::RetryDelayOf(inside).has_value());
  const auto pushback = context.GetServerTrailingMetadata().find("grpc-retry-pushback-ms");
  ASSERT_NE(pushback, context.GetServerTrailingMetadata().end());
  EXPECT_EQ(std::string(pushback->second.data(), pushback->second.size()),
            std::to_string(absl::ToInt64Milliseconds(*wire::RetryDelayOf(inside))));
  hoarder.Answers();
}

TEST(Overload, APeerThatReadsNothingDoesNotMakeTheServerHoldMore) {
  RunningServer server(WithBudget(16 * kMiB));
  const auto stub = v1::ParityService::NewStub(server.Connect());
  BarePeer peer(server.tcp());
  for (int i = 0; i < 40; ++i) peer.SendEncode(RequestFor(kMiB));
  while (StatsOf(*stub).refused_requests() == 0) std::this_thread::yield();
  EXPECT_LE(StatsOf(*stub).held_bytes(), 16 * kMiB);
  EXPECT_TRUE(Encode(*stub, RequestFor(kMiB)).ok());
}

TEST(Overload, ManyLargeRequestsBeyondTheBudgetAreRightOrRefused) {
  RunningServer server([] {
    rpc::Limits limits = WithBudget(24 * kMiB);
    limits.max_message_bytes = 16 * kMiB;
    return limits;
  }());
  const Stripes stripes(*Geometry::Make(Code::kReedSolomon, 4, 2), kMiB, 1, 1);
  const auto request = parity::testing::RequestFor<v1::EncodeRequest>(
      wire::ToProto(stripes.geometry), stripes.Data(), kMiB, 1, true);
  const std::vector<std::string> parity = stripes.Parity();
  std::atomic<int> good{0};
  std::vector<std::thread> clients;
  for (int c = 0; c < 16; ++c) {
    clients.emplace_back([&] {
      const auto stub = v1::ParityService::NewStub(server.Connect());
      for (int i = 0; i < 20; ++i) {
        grpc::ClientContext context;
        v1::EncodeResponse response;
        const grpc::Status status = stub->Encode(&context, request, &response);
        if (status.ok()) {
          EXPECT_TRUE(ShardsIn(response) == parity);
          ++good;
        } else {
          // By the budget, or by gRPC's quota: of a call, or of a connection idle at the time.
          EXPECT_THAT(status.error_code(),
                      AnyOf(grpc::StatusCode::RESOURCE_EXHAUSTED, grpc::StatusCode::UNAVAILABLE))
              << status.error_message();
        }
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_GT(good, 0);
  const auto stub = v1::ParityService::NewStub(server.Connect());
  AwaitNothingHeld(*stub);
  EXPECT_TRUE(Encode(*stub, request).ok());
}

TEST(Overload, TheClientLibraryComesBackWhenItIsTold) {
  RunningServer server([] {
    rpc::Limits limits = WithBudget(12 * kMiB);
    limits.max_message_bytes = 8 * kMiB;
    return limits;
  }());
  const auto stub = v1::ParityService::NewStub(server.Connect());
  const std::vector<uint8_t> data = RandomBytes(4 * kMiB, 1);
  std::vector<std::thread> clients;
  for (int c = 0; c < 8; ++c) {
    clients.emplace_back([&] {
      auto coder = *client::Client::Make(client::RemoteOnly(server.unix_socket()));
      std::vector<uint8_t> parity(4 * kMiB);
      for (int i = 0; i < 10; ++i) {
        const absl::Status status =
            coder->Encode(*Geometry::Make(Code::kXor, 1, 1), {data}, 4 * kMiB, {parity.data()});
        EXPECT_TRUE(status.ok()) << status;
        EXPECT_TRUE(parity == data);
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(StatsOf(*stub).requests(), 80u);
}

TEST(Overload, AStripeWhoseDeadlinePassesBeforeItsTurnIsNotComputed) {
  RunningServer server;
  const auto stub = v1::ParityService::NewStub(server.Connect());
  BarePeer peer(server.tcp());
  peer.SendEncode(RequestFor(60 * kMiB));  // tens of milliseconds
  peer.SendEncode(RequestFor(2 * kMiB), "1m");
  peer.SendEncode(RequestFor(3 * kMiB));
  while (StatsOf(*stub).source_bytes() < 63 * kMiB) std::this_thread::yield();
  EXPECT_EQ(StatsOf(*stub).source_bytes(), 63 * kMiB);
}

TEST(Overload, CancelledCallsLeaveNothingBehind) {
  RunningServer server;
  const auto stub = v1::ParityService::NewStub(server.Connect());
  BarePeer peer(server.tcp());
  constexpr uint64_t kCalls = 100;
  for (uint64_t i = 0; i < kCalls; ++i) peer.SendCancelledEncode(RequestFor(kMiB));
  AwaitNothingHeld(*stub);
  EXPECT_TRUE(Encode(*stub, RequestFor(kMiB)).ok());
}

}  // namespace
}  // namespace parity::testing
