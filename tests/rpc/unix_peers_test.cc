// Who may connect to the Unix socket.
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "bare_peers.h"
#include "captured_log.h"
#include "client/remote_only.h"
#include "gtest/gtest.h"
#include "listen/connected_as.h"
#include "parity/v1/parity.grpc.pb.h"
#include "server_fixture.h"

namespace parity::testing {
namespace {

constexpr char kRefused[] = "connection of pid ";  // in the log
constexpr gid_t kGroup = 23'456;

// A directory whose sockets anybody can open, if their modes allow it.
class UnixPeers : public ::testing::Test {
 protected:
  UnixPeers() {
    char name[] = "/tmp/parity-rpc-test.XXXXXX";
    directory_ = mkdtemp(name);
    chmod(directory_.c_str(), 0755);
  }
  ~UnixPeers() override { std::filesystem::remove_all(directory_); }

  std::string directory_;
};

RunningServer WithPeers(const listen::PeerRule& peers, const std::string& directory) {
  return RunningServer(rpc::Limits(), directory, std::nullopt, nullptr, peers);
}

// What the server sends first, its settings, or nothing if it closes the connection.
bool IsServed(const endpoint::Descriptor& connection) {
  const timeval patience{20, 0};
  setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  char byte;
  const ssize_t got = recv(connection.get(), &byte, 1, 0);
  EXPECT_NE(got, -1) << "neither served nor closed";
  return got == 1;
}

TEST_F(UnixPeers, OneThatIsNotAllowedIsClosedAtOnceAndOthersAreServed) {
  const CapturedLog log;
  RunningServer server = WithPeers({{geteuid() + 1}, {}}, directory_);
  const auto stub = v1::ParityService::NewStub(server.Connect());
  for (int i = 0; i < 100; ++i) {
    BarePeer peer(server.unix_socket());
    EXPECT_EQ(peer.ReadToEnd(), 0u);
  }
  EXPECT_EQ(log.Count(kRefused), 1) << "of a hundred, the log says it once";
  EXPECT_EQ(StatsOf(*stub).connections(), 1u) << "none but that over TCP, which has no such rule";
}

TEST_F(UnixPeers, AClientOfTheLibraryIsToldThatTheServerIsUnavailable) {
  RunningServer server = WithPeers({{geteuid() + 1}, {}}, directory_);
  const auto info =
      (*client::Client::Make(client::RemoteOnly(server.unix_socket())))->GetServerInfo();
  EXPECT_TRUE(absl::IsUnavailable(info.status())) << info.status();
}

TEST_F(UnixPeers, OneThatIsAllowedIsServed) {
  RunningServer server = WithPeers({{geteuid()}, {}}, directory_);
  const auto info =
      (*client::Client::Make(client::RemoteOnly(server.unix_socket())))->GetServerInfo();
  EXPECT_TRUE(info.ok()) << info.status();
}

TEST_F(UnixPeers, ASupplementaryGroupIsEnough) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
  RunningServer server = WithPeers({{}, {kGroup}}, directory_);
  const std::string path = server.unix_socket().substr(sizeof "unix:" - 1);
  chmod(path.c_str(), 0777);
  EXPECT_TRUE(IsServed(ConnectedAs({1, 1, {2, kGroup}}, path)));
  EXPECT_FALSE(IsServed(ConnectedAs({1, 1, {2}}, path)));
  EXPECT_TRUE(IsServed(ConnectedAs({1, kGroup, {}}, path)));
}

}  // namespace
}  // namespace parity::testing
