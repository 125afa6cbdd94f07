// Stopping: every accepted call is answered, and nobody can hold the server up.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "parity/client/remote_coder.h"
#include "parity/v1/parity.grpc.pb.h"
#include "parity/wire/stripe_message.h"
#include "server_fixture.h"

namespace parity::testing {
namespace {

using codec::Code;
using codec::Geometry;

TEST(Stop, EveryCallUnderLoadIsAnsweredOrNeverAccepted) {
  auto server = std::make_unique<RunningServer>();
  const Geometry geometry = *Geometry::Make(Code::kReedSolomon, 4, 2);
  constexpr size_t kShardBytes = 50'000;
  const std::vector<uint8_t> data = RandomBytes(4 * kShardBytes, 7);
  std::atomic<int> answered{0};
  std::atomic<int> lost{0};
  std::vector<std::thread> clients;
  for (int c = 0; c < 4; ++c) {
    clients.emplace_back([&, target = server->tcp()] {
      auto coder = client::RemoteCoder::Make({target});
      std::vector<uint8_t> parity(2 * kShardBytes);
      std::vector<client::ShardBytes> shards;
      for (size_t i = 0; i < 4; ++i) {
        shards.emplace_back(data.data() + i * kShardBytes, kShardBytes);
      }
      while (true) {
        const absl::Status status = (*coder)->Encode(geometry, shards, kShardBytes,
                                                     {parity.data(), parity.data() + kShardBytes});
        if (status.ok()) {
          ++answered;
        } else {
          if (!absl::IsUnavailable(status)) {  // cancelled half-way, or a wrong answer
            ADD_FAILURE() << status;
            ++lost;
          }
          return;
        }
      }
    });
  }
  while (answered < 100) std::this_thread::yield();
  server->Stop(absl::Seconds(20));
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(lost, 0);
}

// A peer on a bare socket, which does only what a test tells it to.
class BarePeer {
 public:
  explicit BarePeer(const std::string& tcp) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    const int little = 64 << 10;
    setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(std::stoi(tcp.substr(tcp.rfind(':') + 1))));
    EXPECT_EQ(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~BarePeer() { close(fd_); }

  // One call of Encode in HTTP/2, with windows that would let any answer through.
  void SendEncode(const v1::EncodeRequest& request) {
    const std::string message = request.SerializeAsString();
    std::string body(1, '\0');  // not compressed
    body += BigEndian(message.size(), 4) + message;
    std::string headers;
    for (const auto& [name, value] : {std::pair<std::string, std::string>{":method", "POST"},
                                      {":scheme", "http"},
                                      {":path", "/parity.v1.ParityService/Encode"},
                                      {":authority", "test"},
                                      {"te", "trailers"},
                                      {"content-type", "application/grpc"}}) {
      headers += std::string(1, '\0') + static_cast<char>(name.size()) + name +
                 static_cast<char>(value.size()) + value;
    }
    const std::string large = BigEndian(0x7fffffff, 4);
    Send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" +
         Frame(4, 0, 0, BigEndian(4, 2) + large) +           // SETTINGS: initial window
         Frame(8, 0, 0, BigEndian(0x7fffffff - 65535, 4)) +  // WINDOW_UPDATE of the connection
         Frame(1, 4, 1, headers) + Frame(0, 1, 1, body));    // HEADERS; DATA, end of stream
  }

  // Waits until so many bytes have arrived, without taking them.
  void AwaitBytes(size_t count) {
    std::vector<char> bytes(count);
    EXPECT_EQ(recv(fd_, bytes.data(), count, MSG_PEEK | MSG_WAITALL), static_cast<ssize_t>(count));
  }

  // Reads until the server has closed the connection.
  size_t ReadToEnd() {
    std::vector<char> bytes(1 << 20);
    size_t total = 0;
    ssize_t got;
    while ((got = read(fd_, bytes.data(), bytes.size())) > 0) total += static_cast<size_t>(got);
    return total;
  }

 private:
  static std::string BigEndian(uint64_t value, int bytes) {
    std::string result;
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
      result += static_cast<char>(value >> shift);
    }
    return result;
  }
  static std::string Frame(char type, char flags, uint32_t stream, const std::string& payload) {
    return BigEndian(payload.size(), 3) + type + flags + BigEndian(stream, 4) + payload;
  }
  void Send(const std::string& bytes) {
    EXPECT_EQ(send(fd_, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }

  const int fd_;
};

TEST(Stop, DoesNotWaitForAPeerThatSaysNothing) {
  RunningServer server;
  BarePeer peer(server.tcp());
  peer.AwaitBytes(1);  // the server's settings: it has the connection
  server.Stop(absl::InfiniteDuration());
  peer.ReadToEnd();
}

TEST(Stop, DoesNotWaitForIdleClients) {
  RunningServer server;
  auto coder = client::RemoteCoder::Make({server.tcp()});
  ASSERT_TRUE((*coder)->GetServerInfo().ok());
  server.Stop(absl::InfiniteDuration());
}

TEST(Stop, CutsOffAPeerThatDoesNotReadItsAnswer) {
  RunningServer server;
  constexpr size_t kAnswerBytes = 30 << 20;  // more than the socket buffers hold
  v1::EncodeRequest request;
  *request.mutable_geometry() = wire::ToProto(*Geometry::Make(Code::kXor, 1, 1));
  request.set_shard_bytes(kAnswerBytes);
  request.add_shards("x");
  BarePeer peer(server.tcp());
  peer.SendEncode(request);
  peer.AwaitBytes(10'000);  // more than settings: the answer has begun
  server.Stop(absl::Milliseconds(200));
  EXPECT_LT(peer.ReadToEnd(), kAnswerBytes);
}

TEST(Stop, LeavesNoSocketBehind) {
  RunningServer server;
  const std::string path = server.unix_socket().substr(5);
  EXPECT_TRUE(std::filesystem::is_socket(path));
  server.Stop(absl::Seconds(1));
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace parity::testing
