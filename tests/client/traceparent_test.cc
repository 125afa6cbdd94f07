// That servers are told the trace of a call, against one that keeps what it is told.
#include <memory>
#include <string>
#include <vector>

#include "client/remote_only.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "gtest/gtest.h"
#include "parity/codec/field_error.h"
#include "parity/v1/parity.grpc.pb.h"

namespace parity::client {
namespace {

constexpr char kTrace[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

class Recorder final : public v1::ParityService::Service {
 public:
  grpc::Status GetServerInfo(grpc::ServerContext* context, const v1::GetServerInfoRequest*,
                             v1::GetServerInfoResponse*) override {
    return Record(*context);
  }
  grpc::Status Encode(grpc::ServerContext* context, const v1::EncodeRequest*,
                      v1::EncodeResponse*) override {
    Record(*context);
    return {grpc::StatusCode::FAILED_PRECONDITION, ""};  // which is final
  }

  std::vector<std::string> told;

 private:
  grpc::Status Record(const grpc::ServerContext& context) {
    const auto& metadata = context.client_metadata();
    const auto found = metadata.find("traceparent");
    told.push_back(
        found == metadata.end() ? "none" : std::string(found->second.data(), found->second.size()));
    return grpc::Status::OK;
  }
};

class Traceparent : public ::testing::Test {
 protected:
  Traceparent() {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&recorder_);
    server_ = builder.BuildAndStart();
    coder_ = RemoteClient("127.0.0.1:" + std::to_string(port));
  }
  ~Traceparent() override { server_->Shutdown(); }

  absl::Status Encode(const std::string& traceparent) {
    const std::vector<uint8_t> shard(10, 1);
    std::vector<uint8_t> parity(10);
    CallOptions options;
    options.traceparent = traceparent;
    return coder_->Encode(*codec::Geometry::Make(codec::Code::kXor, 2, 1),
                          {ShardBytes(shard), ShardBytes(shard)}, 10, {parity.data()}, options);
  }

  Recorder recorder_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Client> coder_;
};

TEST_F(Traceparent, IsToldToServers) {
  CallOptions options;
  options.traceparent = kTrace;
  EXPECT_TRUE(coder_->GetServerInfo(options).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(Encode(kTrace)));
  EXPECT_TRUE(absl::IsFailedPrecondition(Encode("")));
  EXPECT_EQ(recorder_.told, (std::vector<std::string>{kTrace, kTrace, "none"}));
}

TEST_F(Traceparent, IsRefusedIfMalformed) {
  for (const char* const text : {"x", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",
                                 "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
                                 "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                                 "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                                 "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                                 "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                                 "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01",
                                 "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-\n"}) {
    const absl::Status status = Encode(text);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << text << ": " << status;
    EXPECT_EQ(codec::FieldOf(status), "traceparent");
  }
  EXPECT_TRUE(recorder_.told.empty());
  EXPECT_TRUE(IsTraceparent("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-later"));
}

}  // namespace
}  // namespace parity::client
