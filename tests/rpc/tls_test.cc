// TLS on the TCP address, with certificates made by openssl(1) here.
#include <stdlib.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
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

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A directory of PEM files: NAME.crt and NAME.key.
class Certificates {
 public:
  Certificates() {
    char name[] = "/tmp/parity-tls-test.XXXXXX";
    directory_ = mkdtemp(name);
  }
  ~Certificates() { std::filesystem::remove_all(directory_); }

  std::string certificate(const std::string& name) const {
    return absl::StrCat(directory_, "/", name, ".crt");
  }
  std::string key(const std::string& name) const {
    return absl::StrCat(directory_, "/", name, ".key");
  }

  void MakeAuthority(const std::string& name) const {
    Run(absl::StrCat(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 ",
        "-subj /CN=", name, " -keyout ", key(name), " -out ", certificate(name)));
  }

  // For 127.0.0.1, signed by `authority`.
  void Make(const std::string& name, const std::string& authority) const {
    const std::string request = absl::StrCat(directory_, "/request");
    const std::string extensions = absl::StrCat(directory_, "/extensions");
    std::ofstream(extensions) << "subjectAltName=IP:127.0.0.1\n";
    Run(absl::StrCat("openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=",
                     name, " -keyout ", key(name), " -out ", request));
    Run(absl::StrCat("openssl x509 -req -days 2 -in ", request, " -CA ", certificate(authority),
                     " -CAkey ", key(authority), " -CAcreateserial -extfile ", extensions, " -out ",
                     certificate(name)));
  }

  // `name` becomes what `other` is, each file at once.
  void Replace(const std::string& name, const std::string& other) const {
    std::filesystem::rename(key(other), key(name));
    std::filesystem::rename(certificate(other), certificate(name));
  }

 private:
  static void Run(const std::string& command) {
    if (std::system((command + " 2>/dev/null").c_str()) != 0) throw std::runtime_error(command);
  }

  std::string directory_;
};

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
