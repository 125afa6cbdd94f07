// Which services there are beside parity.v1.
#include <memory>
#include <string>

#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/grpcpp.h"
#include "gtest/gtest.h"
#include "server_fixture.h"

namespace parity::testing {
namespace {

constexpr char kReflection[] = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
constexpr char kChannelz[] = "/grpc.channelz.v1.Channelz/GetServers";

// What a call without a message gets.
grpc::StatusCode Call(const RunningServer& server, const std::string& method) {
  grpc::GenericStub stub(server.Connect());
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const auto call = stub.PrepareCall(&context, method, &queue);
  grpc::Status status;
  const auto complete = [&] {
    void* tag;
    bool ok;
    queue.Next(&tag, &ok);
  };
  call->StartCall(nullptr);
  complete();
  call->WritesDone(nullptr);
  complete();
  call->Finish(&status, nullptr);
  complete();
  return status.error_code();
}

TEST(Reflection, IsServedIfItIsOn) {
  RunningServer server;
  EXPECT_EQ(Call(server, kReflection), grpc::StatusCode::OK);
}

TEST(Reflection, IsNotServedIfItIsOff) {
  RunningServer server(rpc::Limits(), "", std::nullopt, nullptr, {}, false);
  EXPECT_EQ(Call(server, kReflection), grpc::StatusCode::UNIMPLEMENTED);
}

TEST(Channelz, IsNeverServed) {
  RunningServer server;
  EXPECT_EQ(Call(server, kChannelz), grpc::StatusCode::UNIMPLEMENTED);
}

}  // namespace
}  // namespace parity::testing
