#include "bare_peers.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace parity::testing {
namespace {

constexpr int kSmallBufferBytes = 64 << 10;

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

std::string BigEndian(uint64_t value, int bytes) {
  std::string result;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    result += static_cast<char>(value >> shift);
  }
  return result;
}

// The frames of HTTP/2 (RFC 9113, section 6) that the tests need.
enum FrameType : char { kData = 0, kHeaders = 1, kReset = 3, kSettings = 4, kWindowUpdate = 8 };
constexpr char kEndStream = 1;
constexpr char kEndHeaders = 4;

std::string Frame(FrameType type, char flags, uint32_t stream, const std::string& payload) {
  return BigEndian(payload.size(), 3) + static_cast<char>(type) + flags + BigEndian(stream, 4) +
         payload;
}

// Settings and a window update that take as much as HTTP/2 can say.
std::string LargestWindows() {
  constexpr uint16_t kInitialWindowSize = 4;
  constexpr uint32_t kLargestWindow = 0x7fffffff;
  constexpr uint32_t kDefaultWindow = 65535;
  return Frame(kSettings, 0, 0, BigEndian(kInitialWindowSize, 2) + BigEndian(kLargestWindow, 4)) +
         Frame(kWindowUpdate, 0, 0, BigEndian(kLargestWindow - kDefaultWindow, 4));
}

void SendAll(int fd, const std::string& bytes) {
  EXPECT_EQ(send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}

void ConnectTcp(int fd, const std::string& address) {
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &kSmallBufferBytes, sizeof kSmallBufferBytes);
  const auto tcp =
      Loopback(static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&tcp), sizeof tcp), 0);
}

}  // namespace

BarePeer::BarePeer(const std::string& address)
    : fd_(socket(address.rfind("unix:", 0) == 0 ? AF_UNIX : AF_INET, SOCK_STREAM, 0)) {
  if (address.rfind("unix:", 0) != 0) {
    ConnectTcp(fd_, address);
    return;
  }
  sockaddr_un path{};
  path.sun_family = AF_UNIX;
  address.copy(path.sun_path, sizeof path.sun_path - 1, 5);
  EXPECT_EQ(connect(fd_, reinterpret_cast<const sockaddr*>(&path), sizeof path), 0);
}

BarePeer::BarePeer(int tcp_socket, const std::string& address) : fd_(tcp_socket) {
  ConnectTcp(fd_, address);
}

BarePeer::~BarePeer() { close(fd_); }

std::string BarePeer::EncodeFrames(const v1::EncodeRequest& request, const std::string& timeout) {
  const std::string message = request.SerializeAsString();
  const std::string not_compressed(1, '\0');
  std::vector<std::pair<std::string, std::string>> fields = {
      {":method", "POST"},    {":scheme", "http"}, {":path", "/parity.v1.ParityService/Encode"},
      {":authority", "test"}, {"te", "trailers"},  {"content-type", "application/grpc"}};
  if (!timeout.empty()) fields.emplace_back("grpc-timeout", timeout);
  std::string headers;
  for (const auto& [name, value] : fields) {
    // A literal field with a new name, neither indexed nor compressed (RFC 7541, section 6.2.2).
    headers += std::string(1, '\0') + static_cast<char>(name.size()) + name +
               static_cast<char>(value.size()) + value;
  }
  const std::string preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + LargestWindows();
  const uint32_t stream = std::exchange(next_stream_, next_stream_ + 2);
  return (stream == 1 ? preface : "") + Frame(kHeaders, kEndHeaders, stream, headers) +
         Frame(kData, kEndStream, stream, not_compressed + BigEndian(message.size(), 4) + message);
}

void BarePeer::SendEncode(const v1::EncodeRequest& request, const std::string& timeout) {
  SendAll(fd_, EncodeFrames(request, timeout));
}

void BarePeer::SendCancelledEncode(const v1::EncodeRequest& request) {
  constexpr uint32_t kCancel = 8;
  const uint32_t stream = next_stream_;
  SendAll(fd_, EncodeFrames(request, "") + Frame(kReset, 0, stream, BigEndian(kCancel, 4)));
}

bool BarePeer::HasBytes(int patience_ms) {
  pollfd state = {fd_, POLLIN, 0};
  return poll(&state, 1, patience_ms) > 0;
}

size_t BarePeer::Take(size_t most) {
  std::vector<char> bytes(most);
  const ssize_t got = recv(fd_, bytes.data(), most, MSG_DONTWAIT);
  return got > 0 ? static_cast<size_t>(got) : 0;
}

void BarePeer::AwaitBytes(size_t count) {
  const absl::Time deadline = absl::Now() + absl::Seconds(20);
  int arrived = 0;
  while (ioctl(fd_, FIONREAD, &arrived) == 0 && static_cast<size_t>(arrived) < count &&
         absl::Now() < deadline) {
    absl::SleepFor(absl::Milliseconds(1));
  }
  EXPECT_GE(static_cast<size_t>(arrived), count);
}

void BarePeer::CloseSending() { shutdown(fd_, SHUT_WR); }

size_t BarePeer::ReadToEnd() {
  std::vector<char> bytes(1 << 20);
  size_t total = 0;
  ssize_t got;
  while ((got = read(fd_, bytes.data(), bytes.size())) > 0) total += static_cast<size_t>(got);
  return total;
}

BareServer::BareServer() : listener_(socket(AF_INET, SOCK_STREAM, 0)) {
  setsockopt(listener_, SOL_SOCKET, SO_RCVBUF, &kSmallBufferBytes, sizeof kSmallBufferBytes);
  const sockaddr_in address = Loopback(0);
  EXPECT_EQ(bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(listen(listener_, 1), 0);
  thread_ = std::thread([this] {
    connection_ = accept(listener_, nullptr, nullptr);
    if (connection_ >= 0) SendAll(connection_, LargestWindows());
  });
}

BareServer::~BareServer() {
  shutdown(listener_, SHUT_RDWR);  // ends an accept that nobody answered
  thread_.join();
  if (connection_ >= 0) close(connection_);
  close(listener_);
}

std::string BareServer::address() const {
  sockaddr_in bound{};
  socklen_t bytes = sizeof bound;
  EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&bound), &bytes), 0);
  return "127.0.0.1:" + std::to_string(ntohs(bound.sin_port));
}

}  // namespace parity::testing
