// The client's side of TLS, against a real server in this process.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <random>
#include <string>
#include <thread>

#include "absl/time/clock.h"
#include "certificates.h"
#include "client/remote_only.h"
#include "gmock/gmock.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "gtest/gtest.h"
#include "known_stripes.h"
#include "rpc/server_fixture.h"

namespace parity::testing {
namespace {

using client::TlsOptions;
using ::testing::HasSubstr;

class ClientTls : public ::testing::Test {
 protected:
  ClientTls() {
    files_.MakeAuthority("ca");
    files_.MakeAuthority("other-ca");
    files_.Make("server", "ca");
    files_.Make("client", "ca");
    files_.Make("stranger", "other-ca");
  }

  static std::unique_ptr<client::Client> ClientOf(const std::string& target,
                                                  const TlsOptions& tls) {
    client::ClientOptions options = client::RemoteOnly(target);
    options.connection.tls = tls;
    options.log = [](const std::string&) {};
    auto made = client::Client::Make(options);
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }

  // What the first call says.
  static absl::Status Ask(const std::string& target, const TlsOptions& tls) {
    return ClientOf(target, tls)->GetServerInfo().status();
  }

  static void ExpectRefused(const absl::Status& status, const std::string& why) {
    EXPECT_TRUE(absl::IsUnavailable(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(why));
  }

  static void ExpectBadOptions(const TlsOptions& tls, const std::string& field,
                               const std::string& why) {
    client::ClientOptions options = client::RemoteOnly("dns:///localhost:1");
    options.connection.tls = tls;
    const absl::Status status = client::Client::Make(options).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(field + ": "));
    EXPECT_THAT(std::string(status.message()), HasSubstr(why));
  }

  TestCertificates files_;
};

TEST_F(ClientTls, ComputesEverything) {
  RunningServer server(rpc::Limits(), "", files_.Server("server", "ca"));
  const auto coder = ClientOf(server.tcp(), files_.Client("ca", "client"));
  std::mt19937 random(1);
  for (const client::KnownStripe& stripe : client::MakeKnownStripes(1)) {
    for (int i = 0; i < 6; ++i) {
      const absl::Status status = stripe.Ask(*coder, random);
      EXPECT_TRUE(status.ok()) << status;
    }
  }
}

TEST_F(ClientTls, EveryConnectionIsOne) {
  RunningServer server(rpc::Limits(), "", files_.Server("server"));
  client::ClientOptions options = client::RemoteOnly(server.tcp());
  options.connection.tls = files_.Client("ca");
  options.connections = 3;
  const auto coder = *client::Client::Make(options);
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(coder->GetServerInfo().ok());
  const auto stub = v1::ParityService::NewStub(
      grpc::CreateChannel(server.unix_socket(), grpc::InsecureChannelCredentials()));
  EXPECT_EQ(StatsOf(*stub).connections(), 4U);
}

TEST_F(ClientTls, AServerThatIsNotTrustedIsNotAsked) {
  RunningServer server(rpc::Limits(), "", files_.Server("server"));
  ExpectRefused(Ask(server.tcp(), files_.Client("other-ca")), server.tcp());
  ExpectRefused(Ask(server.tcp(), files_.Client("other-ca")), "ertificate");
}

TEST_F(ClientTls, TheNameMustBeTheServers) {
  files_.Make("named", "ca", "DNS:parity.example");
  RunningServer server(rpc::Limits(), "", files_.Server("named"));
  TlsOptions tls = files_.Client("ca");
  ExpectRefused(Ask(server.tcp(), tls), "127.0.0.1 is not in peer certificate");
  tls.server_name = "other.example";
  ExpectRefused(Ask(server.tcp(), tls), "other.example is not in peer certificate");
  tls.server_name = "parity.example";
  EXPECT_EQ(Ask(server.tcp(), tls), absl::OkStatus());
}

TEST_F(ClientTls, OfANameThatStandsForSeveralServersTheNameCounts) {
  files_.Make("named", "ca", "DNS:localhost");
  RunningServer server(rpc::Limits(), "", files_.Server("named"));
  const std::string port = server.tcp().substr(server.tcp().rfind(':'));
  EXPECT_EQ(Ask("dns:///localhost" + port, files_.Client("ca")), absl::OkStatus());
  ExpectRefused(Ask("dns:///127.0.0.1" + port, files_.Client("ca")), "127.0.0.1 is not in");
}

TEST_F(ClientTls, AnExpiredCertificateIsRefused) {
  files_.Make("expired", "ca", "IP:127.0.0.1", -1);
  RunningServer server(rpc::Limits(), "", files_.Server("expired"));
  ExpectRefused(Ask(server.tcp(), files_.Client("ca")), "ertificate");
}

TEST_F(ClientTls, AServerThatWantsACertificateOfItsAuthorityGetsIt) {
  RunningServer server(rpc::Limits(), "", files_.Server("server", "ca"));
  EXPECT_EQ(Ask(server.tcp(), files_.Client("ca", "client")), absl::OkStatus());
  ExpectRefused(Ask(server.tcp(), files_.Client("ca")), "certificate");
  ExpectRefused(Ask(server.tcp(), files_.Client("ca", "stranger")), "certificate");
}

TEST_F(ClientTls, PlaintextAndTlsDoNotMix) {
  RunningServer with(rpc::Limits(), "", files_.Server("server"));
  RunningServer without;
  ExpectRefused(Ask(with.tcp(), TlsOptions()), "TLS");
  ExpectRefused(Ask(without.tcp(), files_.Client("ca")), "TLS");
}

TEST_F(ClientTls, UnixSocketsAreNotEncrypted) {
  RunningServer server(rpc::Limits(), "", files_.Server("server"));
  EXPECT_EQ(Ask(server.unix_socket(), files_.Client("ca")), absl::OkStatus());
}

TEST_F(ClientTls, RenewedFilesAreUsedByNewConnections) {
  auto server = std::make_unique<RunningServer>(rpc::Limits(), "", files_.Server("server", "ca"));
  const auto coder = ClientOf(server->tcp(), files_.Client("ca", "stranger"));
  ExpectRefused(coder->GetServerInfo().status(), "certificate");
  files_.Replace("stranger", "client");
  const absl::Time give_up = absl::Now() + absl::Seconds(30);  // it is left out for a while
  absl::Status status;
  do {
    status = coder->GetServerInfo().status();
  } while (!status.ok() && absl::Now() < give_up);
  EXPECT_EQ(status, absl::OkStatus());
}

// Accepts connections, by the kernel, and says nothing.
class SilentServer {
 public:
  SilentServer() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), bytes), 0);
    EXPECT_EQ(::listen(socket_, 10), 0);
    getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &bytes);
    target_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~SilentServer() { close(socket_); }
  const std::string& target() const { return target_; }
  int Accept() const { return accept(socket_, nullptr, nullptr); }

 private:
  const int socket_;
  std::string target_;
};

TEST_F(ClientTls, AServerThatSaysNothingCostsTheDeadline) {
  const SilentServer server;
  const auto coder = ClientOf(server.target(), files_.Client("ca"));
  const absl::Status status =
      coder->GetServerInfo({absl::Now() + absl::Milliseconds(300)}).status();
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
}

TEST_F(ClientTls, ConnectingCanBeCancelled) {
  const SilentServer server;
  const auto coder = ClientOf(server.target(), files_.Client("ca"));
  client::Cancellation cancellation;
  std::thread canceller([&] {
    const int connection = server.Accept();
    cancellation.Cancel();
    close(connection);
  });
  const absl::Status status =
      coder->GetServerInfo({absl::InfiniteFuture(), &cancellation}).status();
  canceller.join();
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
}

TEST_F(ClientTls, AServerThatHasGoneIsReplacedByThisProcess) {
  auto server = std::make_unique<RunningServer>(rpc::Limits(), "", files_.Server("server"));
  client::ClientOptions options;
  options.targets = {server->tcp()};
  options.connection.tls = files_.Client("ca");
  options.log = [](const std::string&) {};
  const auto coder = *client::Client::Make(options);
  std::mt19937 random(2);
  const auto stripes = client::MakeKnownStripes(2);
  EXPECT_EQ(stripes[0].Ask(*coder, random), absl::OkStatus());
  EXPECT_GT(coder->GetStats().remote_slices, 0U);
  server = nullptr;
  EXPECT_EQ(stripes[0].Ask(*coder, random), absl::OkStatus());
  EXPECT_GT(coder->GetStats().fallback_slices, 0U);
}

TEST_F(ClientTls, AFileThatCannotBeUsedIsNamedAtOnce) {
  TlsOptions tls = files_.Client("ca", "client");
  tls.ca_file = "/nonexistent/ca.crt";
  ExpectBadOptions(tls, "tls_ca", "/nonexistent/ca.crt: No such file");
  tls.ca_file = files_.key("ca");
  ExpectBadOptions(tls, "tls_ca", files_.key("ca") + ": no start line");
  tls = files_.Client("ca", "client");
  tls.certificate_file = "/";
  ExpectBadOptions(tls, "tls_certificate", "/: not a regular file");
  tls.certificate_file = files_.certificate("server");
  ExpectBadOptions(tls, "tls_key", "key values mismatch");
  tls.certificate_file = "";
  ExpectBadOptions(tls, "tls_certificate", "none");
  tls = files_.Client("ca", "client");
  tls.key_file = "";
  ExpectBadOptions(tls, "tls_key", "none");
  tls = files_.Client("ca", "client");
  tls.ca_file = "";
  ExpectBadOptions(tls, "tls_ca", "none");
}

}  // namespace
}  // namespace parity::testing
