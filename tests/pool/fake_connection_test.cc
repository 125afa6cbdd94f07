#include "parity/client/fake_connection.h"

#include <future>
#include <memory>
#include <vector>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parity/codec/field_error.h"

namespace parity::client {
namespace {

// 2 data shards of 4 bytes and their XOR.
class FakeConnectionTest : public testing::Test {
 protected:
  absl::Status Encode(FakeConnection& by, const CallOptions& options = {}) {
    return by.Encode(geometry_, {a_, b_}, 4, {parity_.data()}, options);
  }
  // On a thread, into memory of its own.
  std::future<absl::Status> EncodeMeanwhile(const CallOptions& options = {}) {
    return std::async(std::launch::async, [this, options] {
      std::vector<uint8_t> out(4);
      absl::Status status = connection_.Encode(geometry_, {a_, b_}, 4, {out.data()}, options);
      if (status.ok() && out != a_xor_b_) status = absl::InternalError("wrong parity");
      return status;
    });
  }

  const codec::Geometry geometry_ = *codec::Geometry::Make(codec::Code::kXor, 2, 1);
  const std::vector<uint8_t> a_{1, 2, 3, 4};
  const std::vector<uint8_t> b_{16, 32, 48, 64};
  const std::vector<uint8_t> a_xor_b_{17, 34, 51, 68};
  std::vector<uint8_t> parity_ = std::vector<uint8_t>(4);
  FakeConnection connection_;
  FakeServer& server_ = connection_.server();
};

TEST_F(FakeConnectionTest, ComputesEveryOperation) {
  EXPECT_EQ(Encode(connection_), absl::OkStatus());
  EXPECT_EQ(parity_, a_xor_b_);
  std::vector<uint8_t> restored(4);
  EXPECT_EQ(connection_.Reconstruct(geometry_, {1, 2}, {b_, parity_}, 4, {0}, {restored.data()}),
            absl::OkStatus());
  EXPECT_EQ(restored, a_);
  EXPECT_EQ(connection_.Update(geometry_, {0}, {a_}, {b_}, 4, {parity_.data()}), absl::OkStatus());
  EXPECT_EQ(parity_, std::vector<uint8_t>(4));
  const auto report = connection_.Verify(geometry_, {a_, a_, std::vector<uint8_t>{0, 0, 0, 9}}, 4);
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->mismatches.size(), 1u);
  EXPECT_EQ(report->first_offset(), 3u);
}

TEST_F(FakeConnectionTest, RecordsCalls) {
  const absl::Time deadline = absl::Now() + absl::Hours(1);
  EXPECT_EQ(Encode(connection_, {deadline}), absl::OkStatus());
  EXPECT_TRUE(connection_.Verify(geometry_, {a_, b_, parity_}, 4).ok());
  const auto calls = server_.calls();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].operation, Operation::kEncode);
  EXPECT_EQ(calls[0].shard_bytes, 4u);
  EXPECT_EQ(calls[0].bytes, 12u);
  EXPECT_EQ(calls[0].deadline, deadline);
  EXPECT_EQ(calls[1].operation, Operation::kVerify);
  EXPECT_EQ(server_.bytes(), 24u);
  EXPECT_EQ(server_.most_at_once(), 1);
  EXPECT_EQ(server_.calls_under_way(), 0);
}

TEST_F(FakeConnectionTest, BadRequestsAreRefusedAsByAnyConnection) {
  server_.Next(FakeOutcome::Fails(absl::AbortedError("not used up by a refusal")));
  EXPECT_TRUE(absl::IsInvalidArgument(connection_.Encode(geometry_, {a_}, 4, {parity_.data()})));
  EXPECT_TRUE(server_.calls().empty());
  EXPECT_TRUE(absl::IsAborted(Encode(connection_)));
}

TEST_F(FakeConnectionTest, OutcomesComeInOrderThenTheOther) {
  server_.Next(FakeOutcome::Fails(absl::InternalError("first")));
  server_.Next(FakeOutcome::Fails(absl::InternalError("then")), 2);
  server_.Next(FakeOutcome::Succeeds());
  server_.Otherwise(FakeOutcome::Fails(absl::InternalError("otherwise")));
  EXPECT_EQ(Encode(connection_), absl::InternalError("first"));
  EXPECT_EQ(Encode(connection_), absl::InternalError("then"));
  EXPECT_EQ(Encode(connection_), absl::InternalError("then"));
  EXPECT_EQ(Encode(connection_), absl::OkStatus());
  EXPECT_EQ(Encode(connection_), absl::InternalError("otherwise"));
  EXPECT_EQ(Encode(connection_), absl::InternalError("otherwise"));
}

TEST_F(FakeConnectionTest, OutcomeMayDependOnTheRequest) {
  server_.Otherwise([](const Request& request) {
    return request.operation == Operation::kVerify ? FakeOutcome::LosesShard(1)
                                                   : FakeOutcome::Succeeds();
  });
  EXPECT_EQ(Encode(connection_), absl::OkStatus());
  const absl::Status lost = connection_.Verify(geometry_, {a_, b_, parity_}, 4).status();
  EXPECT_TRUE(absl::IsDataLoss(lost)) << lost;
  EXPECT_EQ(codec::FieldOf(lost), "shards[1]");
}

TEST_F(FakeConnectionTest, CorruptsTheByteItWasTold) {
  server_.Next(FakeOutcome::Corrupts(0, 2));
  EXPECT_EQ(Encode(connection_), absl::OkStatus());
  EXPECT_EQ(parity_, (std::vector<uint8_t>{17, 34, 51 ^ 0xff, 68}));
  server_.Next(FakeOutcome::Corrupts(0, 4));
  EXPECT_TRUE(absl::IsInternal(Encode(connection_)));
  server_.Next(FakeOutcome::Corrupts(1, 0));
  EXPECT_TRUE(absl::IsInternal(Encode(connection_)));
}

TEST_F(FakeConnectionTest, PushesBackAsAServerDoes) {
  server_.Next(FakeOutcome::PushesBack(absl::Milliseconds(250)));
  const absl::Status refusal = Encode(connection_);
  EXPECT_TRUE(absl::IsResourceExhausted(refusal));
  EXPECT_EQ(RetryDelayOf(refusal), absl::Milliseconds(250));
}

TEST_F(FakeConnectionTest, MayFailHalfWay) {
  server_.Next(FakeOutcome::FailsAfter(2, absl::UnavailableError("going")));
  const std::vector<ShardBytes> shards{a_, b_};
  const std::vector<uint8_t*> outputs{parity_.data()};
  size_t done = 0;
  Request request{Operation::kEncode, geometry_, {}, {}, shards, 4, outputs};
  request.done = &done;
  EXPECT_EQ(connection_.Run(request, {}), absl::UnavailableError("going"));
  EXPECT_EQ(done, 2u);
  EXPECT_EQ(parity_, (std::vector<uint8_t>{17, 34, 0, 0}));
}

TEST_F(FakeConnectionTest, WaitingCallsGoWhenReleased) {
  server_.Otherwise(FakeOutcome::Waits());
  auto first = EncodeMeanwhile();
  ASSERT_TRUE(server_.AwaitWaiting(1));
  auto second = EncodeMeanwhile();
  ASSERT_TRUE(server_.AwaitWaiting(2));
  EXPECT_EQ(server_.calls_under_way(), 2);
  server_.Release();
  EXPECT_EQ(first.get(), absl::OkStatus());
  EXPECT_EQ(second.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  server_.ReleaseAll();
  EXPECT_EQ(second.get(), absl::OkStatus());
  EXPECT_EQ(Encode(connection_), absl::OkStatus());
  EXPECT_EQ(server_.most_at_once(), 2);
}

TEST_F(FakeConnectionTest, ReleaseBeforehandLetsThrough) {
  server_.Otherwise(FakeOutcome::Waits());
  server_.Release(2);
  EXPECT_EQ(Encode(connection_), absl::OkStatus());
  EXPECT_EQ(Encode(connection_), absl::OkStatus());
  EXPECT_TRUE(absl::IsDeadlineExceeded(Encode(connection_, {absl::Now() + absl::Milliseconds(1)})));
}

TEST_F(FakeConnectionTest, DeadlineAndCancellationEndWaiting) {
  server_.Otherwise(FakeOutcome::Freezes());
  const absl::Time deadline = absl::Now() + absl::Milliseconds(5);
  EXPECT_TRUE(absl::IsDeadlineExceeded(Encode(connection_, {deadline})));
  EXPECT_GE(absl::Now(), deadline);
  Cancellation cancellation;
  auto cancelled = EncodeMeanwhile({absl::InfiniteFuture(), &cancellation});
  ASSERT_TRUE(server_.AwaitWaiting(1));
  cancellation.Cancel();
  EXPECT_TRUE(absl::IsCancelled(cancelled.get()));
  EXPECT_TRUE(absl::IsCancelled(Encode(connection_, {absl::InfiniteFuture(), &cancellation})));
  EXPECT_EQ(server_.calls().size(), 2u);
}

TEST_F(FakeConnectionTest, MayIgnoreThatItIsCancelled) {
  FakeOutcome outcome = FakeOutcome::Waits();
  outcome.ignores_deadline = true;
  server_.Next(outcome);
  Cancellation cancellation;
  auto late = EncodeMeanwhile({absl::InfiniteFuture(), &cancellation});
  ASSERT_TRUE(server_.AwaitWaiting(1));
  cancellation.Cancel();
  server_.Release();
  EXPECT_EQ(late.get(), absl::OkStatus());
}

TEST_F(FakeConnectionTest, DeadServerIsUnavailableUntilRevived) {
  server_.Next(FakeOutcome::Waits());
  auto waiting = EncodeMeanwhile();
  ASSERT_TRUE(server_.AwaitWaiting(1));
  server_.Die();
  EXPECT_TRUE(absl::IsUnavailable(waiting.get()));
  EXPECT_TRUE(absl::IsUnavailable(Encode(connection_)));
  EXPECT_TRUE(absl::IsUnavailable(connection_.GetServerInfo({}).status()));
  EXPECT_EQ(server_.refused_calls(), 1);
  EXPECT_EQ(server_.calls().size(), 1u);
  server_.Revive();
  EXPECT_EQ(Encode(connection_), absl::OkStatus());
  EXPECT_TRUE(connection_.GetServerInfo({}).ok());
}

TEST_F(FakeConnectionTest, CallDoesNotSurviveADeathThatIsOverAtOnce) {
  server_.Next(FakeOutcome::Waits());
  auto waiting = EncodeMeanwhile();
  ASSERT_TRUE(server_.AwaitWaiting(1));
  server_.Die();
  server_.Revive();
  EXPECT_TRUE(absl::IsUnavailable(waiting.get()));
}

TEST_F(FakeConnectionTest, DeathInACallIsThatOfAllConnections) {
  const auto shared = std::make_shared<FakeServer>();
  FakeConnection one(shared);
  {
    FakeConnection other(shared);
    EXPECT_EQ(shared->connections(), 2);
    shared->Next(FakeOutcome::Dies());
    EXPECT_TRUE(absl::IsUnavailable(Encode(one)));
    EXPECT_TRUE(absl::IsUnavailable(Encode(other)));
  }
  EXPECT_EQ(shared->connections(), 1);
  EXPECT_EQ(Encode(connection_), absl::OkStatus());
}

TEST_F(FakeConnectionTest, LargerRequestsThanTheLimitTeachIt) {
  server_.SetMaxRequestBytes(11);
  EXPECT_EQ(connection_.MaxRequestBytes(), FakeServer::kMaxRequestBytes);
  const absl::Status refusal = Encode(connection_);
  EXPECT_TRUE(absl::IsResourceExhausted(refusal));
  EXPECT_EQ(codec::FieldOf(refusal), "message");
  EXPECT_FALSE(RetryDelayOf(refusal).has_value());
  EXPECT_EQ(connection_.MaxRequestBytes(), 11u);
  server_.SetMaxRequestBytes(12);
  EXPECT_EQ(Encode(connection_), absl::OkStatus());
}

TEST_F(FakeConnectionTest, InfoIsAsSet) {
  EXPECT_EQ(connection_.GetServerInfo({})->version, "fake");
  ServerInfo info{};
  info.version = "1.2.3";
  server_.SetInfo(info);
  EXPECT_EQ(connection_.GetServerInfo({})->version, "1.2.3");
}

TEST_F(FakeConnectionTest, AnotherCoderMayCompute) {
  FakeConnection inner;
  const auto outer = std::make_shared<FakeServer>(&inner);
  FakeConnection to_outer(outer);
  EXPECT_EQ(Encode(to_outer), absl::OkStatus());
  EXPECT_EQ(inner.server().calls().size(), 1u);
  EXPECT_EQ(parity_, a_xor_b_);
}

TEST_F(FakeConnectionTest, ConnectsByAddress) {
  const auto one = std::make_shared<FakeServer>();
  const auto two = std::make_shared<FakeServer>();
  const auto connect = FakeConnect({{"one:1", one}, {"two:2", two}});
  const auto to_two = connect("two:2");
  ASSERT_TRUE(to_two.ok()) << to_two.status();
  EXPECT_EQ((*to_two)->Encode(geometry_, {a_, b_}, 4, {parity_.data()}), absl::OkStatus());
  EXPECT_EQ(two->calls().size(), 1u);
  EXPECT_EQ(one->connections(), 0);
  EXPECT_EQ(codec::FieldOf(connect("three:3").status()), "targets");
}

TEST_F(FakeConnectionTest, AllocatesMemory) {
  const auto buffer = connection_.Allocate(4096, {});
  ASSERT_TRUE(buffer.ok());
  EXPECT_EQ(buffer->size(), 4096u);
  EXPECT_FALSE(buffer->is_shared());
}

}  // namespace
}  // namespace parity::client
