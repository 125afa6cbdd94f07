#include "parity/endpoint/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"

namespace parity::endpoint {
namespace {

bool SystemHasCubic() {
  std::ifstream file("/proc/sys/net/ipv4/tcp_available_congestion_control");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return text.find("cubic") != std::string::npos;
}

std::string CongestionControlOf(int fd) {
  std::array<char, 16> name{};
  socklen_t bytes = name.size();
  EXPECT_EQ(getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name.data(), &bytes), 0);
  return name.data();
}

void SetCongestionControl(int fd, const std::string& name) {
  ASSERT_EQ(
      setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name.data(), static_cast<socklen_t>(name.size())),
      0);
}

int ValueOf(int fd, int level, int option) {
  int value = 0;
  socklen_t bytes = sizeof value;
  EXPECT_EQ(getsockopt(fd, level, option, &value, &bytes), 0);
  return value;
}

// A connection over the loopback; "reno" on both sides, unlike what is wanted.
template <class Address>
void ExpectCubic(Address address) {
  const int listener = socket(reinterpret_cast<sockaddr&>(address).sa_family, SOCK_STREAM, 0);
  SetCongestionControl(listener, "reno");
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    close(listener);
    GTEST_SKIP() << "no such address here";
  }
  ASSERT_EQ(listen(listener, 1), 0);
  socklen_t bytes = sizeof address;
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &bytes);
  const int client = socket(reinterpret_cast<sockaddr&>(address).sa_family, SOCK_STREAM, 0);
  SetCongestionControl(client, "reno");
  ASSERT_EQ(connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const int accepted = accept(listener, nullptr, nullptr);
  for (const int fd : {client, accepted}) {
    EXPECT_EQ(CongestionControlOf(fd), "reno");
    TuneSocket(fd, false);
    EXPECT_EQ(CongestionControlOf(fd), "cubic");
    EXPECT_NE(ValueOf(fd, IPPROTO_TCP, TCP_NODELAY), 0);
    close(fd);
  }
  close(listener);
}

TEST(TuneSocket, GivesLoopbackConnectionsCubic) {
  if (!SystemHasCubic()) GTEST_SKIP() << "this system has no cubic";
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 5);  // 127.0.0.6
  ExpectCubic(v4);
}

TEST(TuneSocket, GivesLoopbackConnectionsCubicOverIpv6) {
  if (!SystemHasCubic()) GTEST_SKIP() << "this system has no cubic";
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = IN6ADDR_LOOPBACK_INIT;
  ExpectCubic(v6);
}

TEST(TuneSocket, LeavesTheChoiceOfOtherConnectionsToTheSystem) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);  // not connected: to nowhere on this machine
  SetCongestionControl(fd, "reno");
  TuneSocket(fd, false);
  EXPECT_EQ(CongestionControlOf(fd), "reno");
  close(fd);
}

TEST(TuneSocket, GivesUnixSocketsALargeSendBuffer) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  const int before = ValueOf(pair[0], SOL_SOCKET, SO_SNDBUF);
  TuneSocket(pair[0], true);
  EXPECT_GE(ValueOf(pair[0], SOL_SOCKET, SO_SNDBUF), before);
  close(pair[0]);
  close(pair[1]);
}

}  // namespace
}  // namespace parity::endpoint
