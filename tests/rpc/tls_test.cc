// TLS on the TCP address, with certificates made by openssl(1) here.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "captured_log.h"
#include "certificates.h"
#include "client/remote_only.h"
#include "gmock/gmock.h"
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

class Tls : public ::testing::Test {
 protected:
  Tls() {
    files_.MakeAuthority("ca");
    files_.MakeAuthority("other-ca");
    files_.Make("server", "ca");
    files_.Make("client", "ca");
    files_.Make("stranger", "other-ca");
  }

  rpc::TlsFiles ServerFiles() const {
    rpc::TlsFiles tls;
    tls.certificate_chain = files_.certificate("server");
    tls.private_key = files_.key("server");
    tls.reload_interval = absl::Seconds(1);
    return tls;
  }

  // What a client says that trusts `authority` and shows the certificate `name`, if any.
  std::shared_ptr<grpc::ChannelCredentials> Client(const std::string& authority,
                                                   const std::string& name = "") const {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = Contents(files_.certificate(authority));
    if (!name.empty()) {
      options.pem_cert_chain = Contents(files_.certificate(name));
      options.pem_private_key = Contents(files_.key(name));
    }
    return grpc::SslCredentials(options);
  }

  static grpc::Status Call(const RunningServer& server,
                           const std::shared_ptr<grpc::ChannelCredentials>& credentials) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    const auto stub =
        v1::ParityService::NewStub(grpc::CreateCustomChannel(server.tcp(), credentials, arguments));
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
    v1::GetServerInfoResponse response;
    return stub->GetServerInfo(&context, v1::GetServerInfoRequest(), &response);
  }

  void ExpectStillServes(const RunningServer& server) const {
    const grpc::Status status = Call(server, Client("ca", "client"));
    EXPECT_TRUE(status.ok()) << status.error_message();
  }

  // The error of a start with these files, which names the second.
  static void ExpectRefused(const rpc::TlsFiles& tls, const std::string& option,
                            const std::string& file, const std::string& why) {
    rpc::ServerOptions options;
    options.endpoints = {*endpoint::Parse("listen", "127.0.0.1:0")};
    options.plan = *engine::PlanWorkers(1);
    options.table = *kernels::SelectTable("auto");
    options.tls = tls;
    const auto server = rpc::Server::Start(options);
    EXPECT_TRUE(absl::IsInvalidArgument(server.status())) << server.status();
    EXPECT_THAT(std::string(server.status().message()),
                HasSubstr(absl::StrCat(option, ": ", file)));
    EXPECT_THAT(std::string(server.status().message()), HasSubstr(why));
    EXPECT_THAT(std::string(server.status().message()), Not(HasSubstr("PRIVATE KEY")));
  }

  Certificates files_;
};

TEST_F(Tls, ServesClientsThatTrustItsAuthorityAndNoOthers) {
  RunningServer server(rpc::Limits(), "", ServerFiles());
  const grpc::Status trusted = Call(server, Client("ca"));
  EXPECT_TRUE(trusted.ok()) << trusted.error_message();
  EXPECT_EQ(Call(server, Client("other-ca")).error_code(), grpc::StatusCode::UNAVAILABLE);
  ExpectStillServes(server);
}

TEST_F(Tls, RefusesPlaintext) {
  RunningServer server(rpc::Limits(), "", ServerFiles());
  EXPECT_EQ(Call(server, grpc::InsecureChannelCredentials()).error_code(),
            grpc::StatusCode::UNAVAILABLE);
  const auto coder = client::Client::Make(client::RemoteOnly(server.tcp()));
  EXPECT_TRUE(absl::IsUnavailable((*coder)->GetServerInfo().status()));
  ExpectStillServes(server);
}

TEST_F(Tls, IsNotOnTheUnixSocket) {
  RunningServer server(rpc::Limits(), "", ServerFiles());
  const auto coder = client::Client::Make(client::RemoteOnly(server.unix_socket()));
  EXPECT_TRUE((*coder)->GetServerInfo().ok());
}

TEST_F(Tls, WithAClientAuthorityRefusesWhoShowsNoCertificateOfIt) {
  rpc::TlsFiles tls = ServerFiles();
  tls.client_ca = files_.certificate("ca");
  RunningServer server(rpc::Limits(), "", tls);
  ExpectStillServes(server);
  EXPECT_EQ(Call(server, Client("ca")).error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(Call(server, Client("ca", "stranger")).error_code(), grpc::StatusCode::UNAVAILABLE);
  ExpectStillServes(server);
}

TEST_F(Tls, ARenewedCertificateIsUsedWithoutARestart) {
  RunningServer server(rpc::Limits(), "", ServerFiles());
  EXPECT_EQ(Call(server, Client("other-ca")).error_code(), grpc::StatusCode::UNAVAILABLE);
  files_.Replace("server", "stranger");
  const absl::Time deadline = absl::Now() + absl::Seconds(30);
  grpc::Status status;
  do {
    status = Call(server, Client("other-ca"));
  } while (!status.ok() && absl::Now() < deadline);
  EXPECT_TRUE(status.ok()) << status.error_message();
}

// Of a protocol that openssl s_client offers alone, whether there is a connection.
bool Connects(const std::string& address, const std::string& protocol) {
  const std::string command =
      absl::StrCat("openssl s_client -connect ", address, " ", protocol,
                   " -cipher ALL:@SECLEVEL=0 </dev/null 2>/dev/null | grep -q 'Cipher is [A-Z]'");
  return std::system(command.c_str()) == 0;
}

TEST_F(Tls, NothingOlderThanVersion12) {
  RunningServer server(rpc::Limits(), "", ServerFiles());
  EXPECT_TRUE(Connects(server.tcp(), "-tls1_2"));
  EXPECT_TRUE(Connects(server.tcp(), "-tls1_3"));
  EXPECT_FALSE(Connects(server.tcp(), "-tls1_1"));
  EXPECT_FALSE(Connects(server.tcp(), "-tls1"));
}

TEST_F(Tls, NoKeyIsInAnErrorOrInTheLog) {
  const CapturedLog log;
  const std::string pem = Contents(files_.key("client"));
  const std::string secret = pem.substr(pem.find('\n') + 1, 40);
  ASSERT_EQ(secret.size(), 40u);
  rpc::TlsFiles tls = ServerFiles();
  tls.certificate_chain = files_.key("client");
  ExpectRefused(tls, "tls-certificate", files_.key("client"), "no start line");
  tls = ServerFiles();
  tls.private_key = files_.key("client");
  ExpectRefused(tls, "tls-key", files_.key("client"), "key values mismatch");
  // While it runs: a key that is not the certificate's.
  RunningServer server(rpc::Limits(), "", ServerFiles());
  std::filesystem::rename(files_.key("client"), files_.key("server"));
  const absl::Time give_up = absl::Now() + absl::Seconds(20);
  while (log.Count("grpc: ") == 0 && absl::Now() < give_up) Call(server, Client("other-ca"));
  EXPECT_GT(log.Count("grpc: "), 0);
  EXPECT_EQ(log.Count(secret), 0);
  EXPECT_EQ(log.Count("PRIVATE KEY"), 0);
}

TEST_F(Tls, AFileThatCannotBeUsedIsNamedAtTheStart) {
  rpc::TlsFiles tls = ServerFiles();
  tls.certificate_chain = "/nonexistent/server.crt";
  ExpectRefused(tls, "tls-certificate", "/nonexistent/server.crt", "No such file");
  tls = ServerFiles();
  tls.private_key = "/nonexistent/server.key";
  ExpectRefused(tls, "tls-key", "/nonexistent/server.key", "No such file");
  tls = ServerFiles();
  tls.client_ca = "/";
  ExpectRefused(tls, "tls-client-ca", "/", "not a regular file");
  tls = ServerFiles();
  tls.private_key = files_.key("client");
  ExpectRefused(tls, "tls-key", files_.key("client"), "key values mismatch");
  tls = ServerFiles();
  tls.certificate_chain = files_.key("server");
  ExpectRefused(tls, "tls-certificate", files_.key("server"), "no start line");
  tls = ServerFiles();
  tls.client_ca = files_.key("server");
  ExpectRefused(tls, "tls-client-ca", files_.key("server"), "no certificate");
  tls = ServerFiles();
  tls.private_key = "";
  ExpectRefused(tls, "tls-key", "got none", "");
}

TEST_F(Tls, TheSnapshotKnowsWhenCertificatesEnd) {
  rpc::TlsFiles tls = ServerFiles();
  tls.client_ca = files_.certificate("ca");
  RunningServer server(rpc::Limits(), "", tls);
  const auto certificates = server.server().snapshot().certificates;
  ASSERT_EQ(certificates.size(), 2u);
  EXPECT_EQ(certificates[0].role, "server");
  EXPECT_EQ(certificates[1].role, "client_ca");
  // They were made for two days.
  const double now = absl::ToDoubleSeconds(absl::Now() - absl::UnixEpoch());
  for (const auto& certificate : certificates) {
    EXPECT_GT(certificate.not_after_seconds, now + 86'400);
    EXPECT_LT(certificate.not_after_seconds, now + 3 * 86'400);
  }
  files_.MakeAuthority("later");  // a file of two: the first to end counts
  std::ofstream(files_.certificate("server"), std::ios::app)
      << Contents(files_.certificate("later"));
  EXPECT_EQ(server.server().snapshot().certificates[0].not_after_seconds,
            certificates[0].not_after_seconds);
  std::ofstream(files_.certificate("server")) << "nonsense";
  EXPECT_EQ(server.server().snapshot().certificates.size(), 1u);
}

}  // namespace
}  // namespace parity::testing
