// Which clients may call, by their certificates.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "captured_log.h"
#include "certificates.h"
#include "gmock/gmock.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "gtest/gtest.h"
#include "parity/engine/worker_plan.h"
#include "parity/kernels/dispatch.h"
#include "parity/v1/parity.grpc.pb.h"
#include "server_fixture.h"

namespace parity::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ClientRule : public ::testing::Test {
 protected:
  ClientRule() {
    files_.MakeAuthority("ca");
    files_.Make("server", "ca");
  }

  rpc::TlsFiles Files(const std::vector<std::string>& allowed) const {
    rpc::TlsFiles tls;
    tls.certificate_chain = files_.certificate("server");
    tls.private_key = files_.key("server");
    tls.client_ca = files_.certificate("ca");
    tls.allowed_clients = allowed;
    return tls;
  }

  // The channel of a client whose certificate has these alternative names, and its common name.
  std::shared_ptr<grpc::Channel> Connect(const RunningServer& server,
                                         const std::string& alternative_names,
                                         const std::string& common_name = "client") const {
    files_.Make(common_name, "ca", alternative_names);
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = Contents(files_.certificate("ca"));
    options.pem_cert_chain = Contents(files_.certificate(common_name));
    options.pem_private_key = Contents(files_.key(common_name));
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(server.tcp(), grpc::SslCredentials(options), arguments);
  }

  static grpc::Status Info(const std::shared_ptr<grpc::Channel>& channel) {
    const auto stub = v1::ParityService::NewStub(channel);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
    v1::GetServerInfoResponse response;
    return stub->GetServerInfo(&context, v1::GetServerInfoRequest(), &response);
  }

  grpc::StatusCode Code(const RunningServer& server, const std::string& alternative_names) const {
    return Info(Connect(server, alternative_names)).error_code();
  }

  static absl::Status Start(const rpc::TlsFiles& tls) {
    rpc::ServerOptions options;
    options.endpoints = {*endpoint::Parse("listen", "127.0.0.1:0")};
    options.plan = *engine::PlanWorkers(1);
    options.table = *kernels::SelectTable("auto");
    options.tls = tls;
    return rpc::Server::Start(options).status();
  }

  Certificates files_;
};

constexpr grpc::StatusCode kOk = grpc::StatusCode::OK;
constexpr grpc::StatusCode kDenied = grpc::StatusCode::PERMISSION_DENIED;

TEST_F(ClientRule, ExactNamesOfEveryKind) {
  RunningServer server(
      rpc::Limits(), "",
      Files({"a.example.org", "spiffe://x/node", "10.1.2.3", "ops@example.org", "2001:DB8:0::1"}));
  EXPECT_EQ(Code(server, "DNS:a.example.org"), kOk);
  EXPECT_EQ(Code(server, "DNS:A.Example.ORG"), kOk);
  EXPECT_EQ(Code(server, "DNS:other,DNS:a.example.org"), kOk);
  EXPECT_EQ(Code(server, "URI:spiffe://x/node"), kOk);
  EXPECT_EQ(Code(server, "IP:10.1.2.3"), kOk);
  EXPECT_EQ(Code(server, "IP:2001:db8::1"), kOk);
  EXPECT_EQ(Code(server, "email:ops@example.org"), kOk);
  EXPECT_EQ(Code(server, "DNS:b.example.org"), kDenied);
  EXPECT_EQ(Code(server, "DNS:x.a.example.org"), kDenied);
  EXPECT_EQ(Code(server, "URI:spiffe://x/node2"), kDenied);
  EXPECT_EQ(Code(server, "URI:spiffe://x/NODE"), kDenied);
  EXPECT_EQ(Code(server, "IP:10.1.2.4"), kDenied);
}

TEST_F(ClientRule, AStarIsOneLabelOfADnsName) {
  RunningServer server(rpc::Limits(), "", Files({"*.example.org"}));
  EXPECT_EQ(Code(server, "DNS:a.example.org"), kOk);
  EXPECT_EQ(Code(server, "DNS:A.EXAMPLE.org"), kOk);
  EXPECT_EQ(Code(server, "DNS:example.org"), kDenied);
  EXPECT_EQ(Code(server, "DNS:a.b.example.org"), kDenied);
  EXPECT_EQ(Code(server, "DNS:aexample.org"), kDenied);
  EXPECT_EQ(Code(server, "DNS:a.example.org.evil"), kDenied);
  EXPECT_EQ(Code(server, "email:a.example.org"), kDenied);
}

TEST_F(ClientRule, AUriMayBeAllowedByItsBeginning) {
  RunningServer server(rpc::Limits(), "", Files({"spiffe://x/parity/*"}));
  EXPECT_EQ(Code(server, "URI:spiffe://x/parity/node"), kOk);
  EXPECT_EQ(Code(server, "URI:spiffe://x/parity/a/b"), kOk);
  EXPECT_EQ(Code(server, "URI:spiffe://x/parity/"), kDenied);
  EXPECT_EQ(Code(server, "URI:spiffe://x/parity"), kDenied);
  EXPECT_EQ(Code(server, "URI:spiffe://x/parityX/node"), kDenied);
}

TEST_F(ClientRule, TheCommonNameDoesNotCount) {
  RunningServer server(rpc::Limits(), "", Files({"client.example.org"}));
  const grpc::Status status = Info(Connect(server, "", "client.example.org"));
  EXPECT_EQ(status.error_code(), kDenied);
  EXPECT_THAT(status.error_message(), HasSubstr("no subject alternative name"));
}

TEST_F(ClientRule, TheErrorSaysWhatWasShownAndNotWhatIsAllowed) {
  const CapturedLog log;
  RunningServer server(rpc::Limits(), "", Files({"allowed.example.org"}));
  const grpc::Status status = Info(Connect(server, "DNS:me.example.org"));
  EXPECT_THAT(status.error_message(), HasSubstr("client certificate"));
  EXPECT_THAT(status.error_message(), HasSubstr("me.example.org"));
  EXPECT_THAT(status.error_message(), Not(HasSubstr("allowed.example.org")));
  EXPECT_EQ(log.Count("op=\"info\" code=\"PERMISSION_DENIED\" peer=\"me.example.org\""), 1);
}

TEST_F(ClientRule, HoldsForStreamsAndNotForHealth) {
  RunningServer server(rpc::Limits(), "", Files({"a.example.org"}));
  const auto channel = Connect(server, "DNS:b.example.org");
  grpc::ClientContext context;
  const auto stream = v1::ParityService::NewStub(channel)->Process(&context);
  v1::ProcessResponse response;
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), kDenied);

  grpc::ClientContext health_context;
  grpc::health::v1::HealthCheckResponse health;
  const auto stub = grpc::health::v1::Health::NewStub(channel);
  EXPECT_TRUE(stub->Check(&health_context, grpc::health::v1::HealthCheckRequest(), &health).ok());
  EXPECT_EQ(health.status(), grpc::health::v1::HealthCheckResponse::SERVING);
}

TEST_F(ClientRule, DoesNotHoldForTheUnixSocket) {
  RunningServer server(rpc::Limits(), "", Files({"a.example.org"}));
  EXPECT_TRUE(
      Info(grpc::CreateChannel(server.unix_socket(), grpc::InsecureChannelCredentials())).ok());
}

TEST_F(ClientRule, ANameThatNobodyCanHaveIsAnErrorAtTheStart) {
  for (const char* bad : {"", "*", "*.", "a.*", "*.*.org", "*x.org", "/*", "x/*", "spiffe://*/*"}) {
    const absl::Status status = Start(Files({"good.example.org", bad}));
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << bad << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("tls-allow"));
  }
  rpc::TlsFiles tls = Files({"good.example.org"});
  tls.client_ca = "";
  const absl::Status status = Start(tls);
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("--tls-client-ca"));
}

}  // namespace
}  // namespace parity::testing
