// What the log says of requests that fail, and what becomes of `traceparent`.
#include <memory>
#include <string>

#include "absl/time/clock.h"
#include "captured_log.h"
#include "gtest/gtest.h"
#include "parity/v1/parity.grpc.pb.h"
#include "server_fixture.h"

namespace parity::testing {
namespace {

constexpr char kTraceId[] = "0af7651916cd43dd8448eb211c80319c";
const std::string kTraceParent = std::string("00-") + kTraceId + "-b7ad6b7169203331-01";

class FailureLog : public ::testing::Test {
 protected:
  FailureLog() : stub_(v1::ParityService::NewStub(server_.Connect())) {}

  // A request that is wrong; the call has this `traceparent`, unless it is empty. Returns the one
  // that came back, or "".
  std::string FailingEncode(const std::string& trace_parent) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer secret-token");
    if (!trace_parent.empty()) context.AddMetadata("traceparent", trace_parent);
    v1::EncodeResponse response;
    const grpc::Status status = stub_->Encode(&context, v1::EncodeRequest(), &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    return TraceParentIn(context);
  }

  static std::string TraceParentIn(const grpc::ClientContext& context) {
    const auto& metadata = context.GetServerTrailingMetadata();
    const auto found = metadata.find("traceparent");
    return found == metadata.end() ? "" : std::string(found->second.data(), found->second.size());
  }

  CapturedLog log_;
  RunningServer server_;
  const std::unique_ptr<v1::ParityService::Stub> stub_;
};

TEST_F(FailureLog, NamesOperationCodePeerAndTrace) {
  EXPECT_EQ(FailingEncode(kTraceParent), kTraceParent);
  EXPECT_EQ(log_.Count("request failed: "), 1);
  EXPECT_EQ(log_.Count("op=\"encode\" code=\"INVALID_ARGUMENT\" peer=\"127.0.0.1\" trace_id=\"" +
                       std::string(kTraceId) + "\""),
            1);
  EXPECT_EQ(log_.Count("secret-token"), 0);
}

TEST_F(FailureLog, WithoutATraceThereIsNoneInTheLineNorInTheAnswer) {
  EXPECT_EQ(FailingEncode(""), "");
  EXPECT_EQ(FailingEncode("00-" + std::string(32, '0') + "-b7ad6b7169203331-01"), "");
  EXPECT_EQ(FailingEncode(kTraceParent + "x"), "");
  EXPECT_EQ(log_.Count("request failed"), 3);
  EXPECT_EQ(log_.Count("trace_id"), 0);
}

TEST_F(FailureLog, ACallThatSucceedsReturnsItsTraceToo) {
  grpc::ClientContext context;
  context.AddMetadata("traceparent", kTraceParent);
  v1::GetServerInfoResponse response;
  ASSERT_TRUE(stub_->GetServerInfo(&context, v1::GetServerInfoRequest(), &response).ok());
  EXPECT_EQ(TraceParentIn(context), kTraceParent);
  EXPECT_EQ(log_.Count("request failed"), 0);
}

TEST_F(FailureLog, ARequestOfAStreamIsLoggedWithTheTraceOfTheStream) {
  grpc::ClientContext context;
  context.AddMetadata("traceparent", kTraceParent);
  const auto stream = stub_->Process(&context);
  v1::ProcessRequest request;
  request.set_id(7);
  request.mutable_update();
  ASSERT_TRUE(stream->Write(request));
  v1::ProcessResponse response;
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_NE(response.error().code(), 0);
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(TraceParentIn(context), kTraceParent);
  EXPECT_EQ(log_.Count("op=\"update\" code=\"INVALID_ARGUMENT\" peer=\"127.0.0.1\" trace_id=\"" +
                       std::string(kTraceId) + "\""),
            1);
}

TEST_F(FailureLog, AFloodOfThemIsAFewLinesThatCountTheRest) {
  constexpr int kRequests = 3000;
  for (int i = 0; i < kRequests; ++i) FailingEncode("");
  const int lines = log_.Count("request failed");
  EXPECT_GE(lines, 1);
  EXPECT_LT(lines, kRequests / 2);
  const absl::Time give_up = absl::Now() + absl::Seconds(20);
  while (log_.Count("more_since=") == 0 && absl::Now() < give_up) FailingEncode("");
  EXPECT_GE(log_.Count("more_since="), 1);
}

}  // namespace
}  // namespace parity::testing
