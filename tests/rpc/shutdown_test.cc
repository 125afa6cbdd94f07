// Stopping: every accepted call is answered, and nobody can hold the server up.
#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "bare_peers.h"
#include "client/remote_only.h"
#include "gtest/gtest.h"
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
      auto coder = client::Client::Make(client::RemoteOnly(target));
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

TEST(Stop, DoesNotWaitForAPeerThatSaysNothing) {
  RunningServer server;
  BarePeer peer(server.tcp());
  peer.AwaitBytes(1);  // the server's settings: it has the connection
  server.Stop(absl::InfiniteDuration());
  peer.ReadToEnd();
}

TEST(Stop, DoesNotWaitForIdleClients) {
  RunningServer server;
  auto coder = client::Client::Make(client::RemoteOnly(server.tcp()));
  ASSERT_TRUE((*coder)->GetServerInfo().ok());
  server.Stop(absl::InfiniteDuration());
}

constexpr size_t kAnswerBytes = 30 << 20;  // more than the socket buffers hold

// A small request with a large answer.
v1::EncodeRequest RequestOfALargeAnswer() {
  v1::EncodeRequest request;
  *request.mutable_geometry() = wire::ToProto(*Geometry::Make(Code::kXor, 1, 1));
  request.set_shard_bytes(kAnswerBytes);
  request.add_shards("x");
  return request;
}

TEST(Stop, CutsOffAPeerThatDoesNotReadItsAnswer) {
  RunningServer server;
  BarePeer peer(server.tcp());
  peer.SendEncode(RequestOfALargeAnswer());
  peer.AwaitBytes(10'000);  // more than settings: the answer has begun
  server.Stop(absl::Milliseconds(200));
  EXPECT_LT(peer.ReadToEnd(), kAnswerBytes);
}

TEST(Stop, CutsOffAPeerThatHasClosedItsSideToo) {
  RunningServer server;
  BarePeer peer(server.tcp());
  peer.SendEncode(RequestOfALargeAnswer());
  peer.AwaitBytes(10'000);
  peer.CloseSending();
  server.Stop(absl::InfiniteDuration());  // gRPC gives the call up with the connection
  EXPECT_LT(peer.ReadToEnd(), kAnswerBytes);
}

TEST(Stop, LeavesAFileThatHasTakenThePlaceOfItsSocket) {
  RunningServer server;
  const std::string path = server.unix_socket().substr(5);
  std::filesystem::remove(path);
  std::ofstream(path) << "precious";
  server.Stop(absl::Seconds(1));
  EXPECT_TRUE(std::filesystem::is_regular_file(path));
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
