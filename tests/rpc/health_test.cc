// grpc.health.v1 and reflection, as probes and generic tools use them.
#include <string>

#include "gmock/gmock.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "gtest/gtest.h"
#include "server_fixture.h"

namespace parity::testing {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

TEST(Health, CheckKnowsTheServerAndTheService) {
  RunningServer server;
  const auto stub = grpc::health::v1::Health::NewStub(server.Connect());
  for (const char* service : {"", "parity.v1.ParityService"}) {
    HealthCheckRequest request;
    request.set_service(service);
    HealthCheckResponse response;
    grpc::ClientContext context;
    ASSERT_TRUE(stub->Check(&context, request, &response).ok());
    EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
  }
  HealthCheckRequest request;
  request.set_service("other.Service");
  HealthCheckResponse response;
  grpc::ClientContext context;
  EXPECT_EQ(stub->Check(&context, request, &response).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST(Health, WatchTellsWhenTheServerStops) {
  RunningServer server;
  const auto stub = grpc::health::v1::Health::NewStub(server.Connect());
  grpc::ClientContext context;
  const auto stream = stub->Watch(&context, HealthCheckRequest());
  HealthCheckResponse response;
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
  server.Stop(absl::Seconds(10));
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST(Health, WatchOfAnUnknownServiceSaysSo) {
  RunningServer server;
  const auto stub = grpc::health::v1::Health::NewStub(server.Connect());
  grpc::ClientContext context;
  HealthCheckRequest request;
  request.set_service("other.Service");
  const auto stream = stub->Watch(&context, request);
  HealthCheckResponse response;
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVICE_UNKNOWN);
  context.TryCancel();
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

}  // namespace
}  // namespace parity::testing
