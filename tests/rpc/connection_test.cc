// What bounds connections: their number, their calls, their age, their idle time, their pings.
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "bare_peers.h"
#include "captured_log.h"
#include "client/remote_only.h"
#include "gmock/gmock.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/generic/generic_stub.h"
#include "gtest/gtest.h"
#include "parity/engine/worker_plan.h"
#include "parity/kernels/dispatch.h"
#include "parity/rings/server.h"
#include "parity/v1/parity.grpc.pb.h"
#include "server_fixture.h"

namespace parity::testing {
namespace {

using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;
using ::testing::HasSubstr;

constexpr char kConnection[] = "connection from ";  // in the log, once for each

// What the client library does not tell is in it too.
v1::GetServerInfoResponse InfoOf(const std::string& target) {
  const auto stub =
      v1::ParityService::NewStub(grpc::CreateChannel(target, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  v1::GetServerInfoResponse info;
  const grpc::Status status = stub->GetServerInfo(&context, {}, &info);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return info;
}

TEST(ServerInfo, HasEveryLimit) {
  rpc::Limits limits;
  limits.max_message_bytes = 1 << 20;
  limits.max_calls_per_connection = 7;
  limits.max_requests_per_stream = 8;
  limits.max_held_bytes = 9 << 20;
  limits.max_connections = 10;
  limits.stall_timeout = absl::Seconds(11);
  limits.max_connection_idle = absl::Seconds(12);
  limits.max_connection_age = absl::Seconds(13);
  limits.keepalive = absl::Seconds(14);
  limits.min_ping_interval = absl::Milliseconds(1500);
  RunningServer server(limits);
  const auto info = (*client::Client::Make(client::RemoteOnly(server.tcp())))->GetServerInfo();
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->max_message_bytes, 1u << 20);
  EXPECT_EQ(info->max_calls_per_connection, 7u);
  EXPECT_EQ(info->max_requests_per_stream, 8u);
  EXPECT_EQ(info->max_held_bytes, 9u << 20);
  EXPECT_EQ(info->max_connections, 10u);
  EXPECT_EQ(info->stall_timeout, absl::Seconds(11));
  EXPECT_EQ(info->max_connection_idle, absl::Seconds(12));
  EXPECT_EQ(info->max_connection_age, absl::Seconds(13));
  EXPECT_EQ(info->keepalive, absl::Seconds(14));
  EXPECT_EQ(info->min_ping_interval, absl::Milliseconds(1500));
}

TEST(ServerInfo, HasEveryLimitOfSharedMemory) {
  char directory[] = "/tmp/parity-rpc-test.XXXXXX";
  ASSERT_NE(mkdtemp(directory), nullptr);
  rings::ServerOptions ring_options;
  ring_options.paths = {std::string(directory) + "/parityd.sock"};
  ring_options.plan = *engine::PlanWorkers(1);
  ring_options.table = *kernels::SelectTable("auto");
  ring_options.limits.max_region_bytes = 7 << 20;
  ring_options.limits.max_regions_bytes = 8 << 20;
  ring_options.limits.max_regions = 9;
  ring_options.limits.spin = absl::Nanoseconds(9'001);  // of which no microsecond is lost
  auto rings = rings::Server::Start(ring_options);
  ASSERT_TRUE(rings.ok()) << rings.status();
  const std::shared_ptr<rings::Server> shared = *std::move(rings);
  rpc::ServerOptions options;
  options.endpoints = {*endpoint::Parse("listen", "127.0.0.1:0")};
  options.plan = ring_options.plan;
  options.table = ring_options.table;
  options.rings = shared;
  auto server = rpc::Server::Start(options);
  ASSERT_TRUE(server.ok()) << server.status();
  const v1::GetServerInfoResponse::Limits limits =
      InfoOf((*server)->endpoints()[0].ToString()).limits();
  EXPECT_EQ(limits.max_region_bytes(), 7u << 20);
  EXPECT_EQ(limits.max_regions_bytes(), 8u << 20);
  EXPECT_EQ(limits.max_regions(), 9u);
  EXPECT_EQ(limits.shm_spin_us(), 10u);
  (*server)->Stop(absl::Seconds(5));
  shared->Stop(absl::Seconds(5));
  std::filesystem::remove_all(directory);
}

TEST(ServerInfo, WithoutSharedMemoryItsLimitsAre0) {
  RunningServer server;
  const v1::GetServerInfoResponse::Limits limits = InfoOf(server.tcp()).limits();
  EXPECT_EQ(limits.max_region_bytes(), 0u);
  EXPECT_EQ(limits.max_regions_bytes(), 0u);
  EXPECT_EQ(limits.max_regions(), 0u);
  EXPECT_EQ(limits.shm_spin_us(), 0u);
}

// The defaults of both sides divided by 30, since gRPC pings at most once a second. In that time
// the client pings five times and the server twice.
TEST(Keepalive, ClientAndServerAgreeByDefault) {
  const CapturedLog log;
  rpc::Limits limits;
  limits.keepalive /= 30;
  limits.min_ping_interval /= 30;
  RunningServer server(limits);
  client::ClientOptions options = client::RemoteOnly(server.tcp());
  options.connection.keepalive /= 30;
  const auto coder = client::Client::Make(options);
  ASSERT_TRUE((*coder)->GetServerInfo().ok());
  absl::SleepFor(absl::Seconds(6));
  EXPECT_TRUE((*coder)->GetServerInfo().ok());
  EXPECT_EQ(log.Count(kConnection), 1) << "the connection was lost";
}

TEST(Keepalive, AnswersAServerThatPingsAnIdleClient) {
  const CapturedLog log;
  rpc::Limits limits;
  limits.keepalive = absl::Seconds(1);
  RunningServer server(limits);
  // Without pings of its own, the client must still read those of the server: the server waits 20 s
  // for an answer.
  client::ClientOptions options = client::RemoteOnly(server.unix_socket());
  options.connection.keepalive = absl::ZeroDuration();
  const auto coder = client::Client::Make(options);
  ASSERT_TRUE((*coder)->GetServerInfo().ok());
  absl::SleepFor(absl::Seconds(22));
  EXPECT_TRUE((*coder)->GetServerInfo().ok());
  EXPECT_EQ(log.Count(kConnection), 1) << "the connection was lost";
}

TEST(Keepalive, AClientThatPingsTooOftenIsToldSoAndSentAway) {
  rpc::Limits limits;
  limits.min_ping_interval = absl::Seconds(20);
  RunningServer server(limits);
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 1000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  const auto stub = Health::NewStub(
      grpc::CreateCustomChannel(server.tcp(), grpc::InsecureChannelCredentials(), arguments));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
  const auto reader = stub->Watch(&context, HealthCheckRequest());
  HealthCheckResponse response;
  while (reader->Read(&response)) {
  }
  const grpc::Status status = reader->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("oo many pings"));
}

// Calls from several threads on one coder and on one each, until `end`; how many failed.
int FailedCalls(const std::string& target, absl::Time end) {
  const auto shared = client::Client::Make(client::RemoteOnly(target));
  const codec::Geometry geometry = *codec::Geometry::Make(codec::Code::kXor, 2, 1);
  const std::vector<uint8_t> data = RandomBytes(200'000, 3);
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      const auto own = client::Client::Make(client::RemoteOnly(target));
      client::Coder& coder = thread < 2 ? **shared : **own;
      std::vector<uint8_t> parity(100'000);
      while (absl::Now() < end) {
        const absl::Status status =
            coder.Encode(geometry, {{data.data(), 100'000}, {data.data() + 100'000, 100'000}},
                         100'000, {parity.data()});
        if (!status.ok()) {
          ADD_FAILURE() << status;
          ++failed;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return failed;
}

TEST(Connections, AreAsManyAsAskedForAndAllAreUsed) {
  const CapturedLog log;
  const RunningServer server;
  const std::string port = server.tcp().substr(server.tcp().rfind(':'));
  client::ClientOptions options = client::RemoteOnly("dns:///localhost" + port);
  options.connections = 5;
  const auto client = *client::Client::Make(options);
  const codec::Geometry geometry = *codec::Geometry::Make(codec::Code::kXor, 1, 1);
  const std::vector<uint8_t> data(1'000, 7);
  std::vector<uint8_t> parity(1'000);
  for (int i = 0; i < 20; ++i) {
    const absl::Status status =
        client->Encode(geometry, {client::ShardBytes(data)}, 1'000, {parity.data()});
    ASSERT_TRUE(status.ok()) << status;
  }
  EXPECT_EQ(log.Count(kConnection), 5);
}

TEST(Age, FailsNoCall) {
  const CapturedLog log;
  rpc::Limits limits;
  limits.max_connection_age = absl::Milliseconds(300);
  RunningServer server(limits);
  EXPECT_EQ(FailedCalls(server.tcp(), absl::Now() + absl::Seconds(2)), 0);
  // Three coders, each with a connection anew every 300 ms and 10 % more or less.
  EXPECT_GE(log.Count(kConnection), 3 * 4);
}

TEST(Idle, ClosesTheConnectionAndFailsNoCall) {
  const CapturedLog log;
  rpc::Limits limits;
  limits.max_connection_idle = absl::Milliseconds(100);
  RunningServer server(limits);
  BarePeer peer(server.tcp());
  const auto coder = client::Client::Make(client::RemoteOnly(server.tcp()));
  ASSERT_TRUE((*coder)->GetServerInfo().ok());
  EXPECT_GT(peer.ReadToEnd(), 0u);  // so it is closed
  absl::SleepFor(absl::Milliseconds(300));
  EXPECT_TRUE((*coder)->GetServerInfo().ok());
  EXPECT_EQ(log.Count(kConnection), 3);
}

// Descriptors are used again at once, while gRPC is still at work on the connections before.
TEST(Connections, ThatComeAndGoDoNotDisturbOthers) {
  RunningServer server;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&server] {
      for (int i = 0; i < 200; ++i) {
        const auto stub = v1::ParityService::NewStub(server.Connect());
        grpc::ClientContext context;
        v1::GetServerInfoResponse info;
        const grpc::Status status =
            stub->GetServerInfo(&context, v1::GetServerInfoRequest(), &info);
        ASSERT_TRUE(status.ok()) << i << ": " << status.error_message();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(MaxConnections, TheOneBeyondWaitsUntilAnotherEnds) {
  const CapturedLog log;
  rpc::Limits limits;
  limits.max_connections = 3;
  RunningServer server(limits);
  auto first = std::make_unique<BarePeer>(server.tcp());
  BarePeer second(server.unix_socket());
  first->AwaitBytes(1);
  second.AwaitBytes(1);
  EXPECT_EQ(log.Count("others wait"), 0);
  BarePeer third(server.tcp());
  third.AwaitBytes(1);
  BarePeer fourth(server.tcp());  // connected, as far as it can tell
  ASSERT_TRUE(log.Await("3 connections, as many as --max-connections allows: others wait"));
  EXPECT_FALSE(fourth.HasBytes(300));
  first = nullptr;
  fourth.AwaitBytes(1);
  EXPECT_EQ(log.Count("others wait"), 1);
}

TEST(MaxConnections, RecoversWhenDescriptorsRunOut) {
  const CapturedLog log;
  RunningServer server;
  std::vector<std::unique_ptr<BarePeer>> peers;
  peers.push_back(std::make_unique<BarePeer>(server.tcp()));
  peers.back()->AwaitBytes(1);

  // No more descriptors than the client's own, which are there already.
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  std::vector<int> sockets;
  for (int i = 0; i < 3; ++i) sockets.push_back(socket(AF_INET, SOCK_STREAM, 0));
  const rlimit lowered = {static_cast<rlim_t>(sockets.back() + 1), before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &lowered);
  std::vector<int> fillers;
  for (int fd = dup(0); fd != -1; fd = dup(0)) fillers.push_back(fd);
  for (int fd : sockets) peers.push_back(std::make_unique<BarePeer>(fd, server.tcp()));
  EXPECT_TRUE(log.Await("Too many open files"));
  for (int i = 1; i <= 3; ++i) EXPECT_FALSE(peers[i]->HasBytes(50));

  setrlimit(RLIMIT_NOFILE, &before);
  for (int i = 1; i <= 3; ++i) peers[i]->AwaitBytes(1);
  for (int filler : fillers) close(filler);
  EXPECT_EQ(log.Count("Too many open files"), 1);
}

TEST(MaxCalls, TheOneBeyondWaitsUntilAnotherEnds) {
  rpc::Limits limits;
  limits.max_calls_per_connection = 3;
  RunningServer server(limits);
  const auto stub = Health::NewStub(server.Connect());
  struct Watch {
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientReader<HealthCheckResponse>> reader;
  };
  std::vector<std::unique_ptr<Watch>> watches;
  const auto add_watch = [&] {
    watches.push_back(std::make_unique<Watch>());
    Watch& watch = *watches.back();
    watch.reader = stub->Watch(&watch.context, HealthCheckRequest());
    HealthCheckResponse response;
    EXPECT_TRUE(watch.reader->Read(&response));
  };
  add_watch();
  add_watch();
  grpc::ClientContext within;
  HealthCheckResponse response;
  EXPECT_TRUE(stub->Check(&within, HealthCheckRequest(), &response).ok());
  add_watch();

  grpc::ClientContext beyond;
  grpc::CompletionQueue queue;
  grpc::Status status;
  auto call = stub->AsyncCheck(&beyond, HealthCheckRequest(), &queue);
  call->Finish(&response, &status, &status);
  void* tag;
  bool ok;
  EXPECT_EQ(
      queue.AsyncNext(&tag, &ok, std::chrono::system_clock::now() + std::chrono::milliseconds(300)),
      grpc::CompletionQueue::TIMEOUT);
  watches[0]->context.TryCancel();
  watches[0]->reader->Finish();
  EXPECT_TRUE(queue.Next(&tag, &ok));
  EXPECT_TRUE(status.ok()) << status.error_message();
  queue.Shutdown();
  EXPECT_FALSE(queue.Next(&tag, &ok));
  for (const auto& watch : watches) watch->context.TryCancel();
}

// A reflection stream, step by step; its messages are not installed with gRPC.
class ReflectionCall {
 public:
  explicit ReflectionCall(grpc::GenericStub& stub)
      : stream_(stub.PrepareCall(
            &context_, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", &queue_)) {
    context_.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    stream_->StartCall(this);
    Await();
  }
  ~ReflectionCall() {
    context_.TryCancel();
    if (!finished_) Finish();
    queue_.Shutdown();
  }

  // Asks for the services; false if there is no answer.
  bool Ask() {
    const grpc::Slice list_services("\x3a\x01*");
    stream_->Write(grpc::ByteBuffer(&list_services, 1), this);
    if (!Await()) return false;
    grpc::ByteBuffer response;
    stream_->Read(&response, this);
    return Await();
  }

  grpc::Status End() {
    stream_->WritesDone(this);
    Await();
    return Finish();
  }

  grpc::Status Finish() {
    grpc::Status status;
    stream_->Finish(&status, this);
    Await();
    finished_ = true;
    return status;
  }

 private:
  bool Await() {
    void* tag;
    bool ok;
    return queue_.Next(&tag, &ok) && ok;
  }

  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
  bool finished_ = false;
};

TEST(Reflection, HasFewThreadsAndRefusesWhatIsBeyond) {
  RunningServer server;
  const auto channel = server.Connect();
  grpc::GenericStub stub(channel);
  std::vector<std::unique_ptr<ReflectionCall>> answered;
  int refused = 0;
  const auto call = [&] {
    auto made = std::make_unique<ReflectionCall>(stub);
    if (made->Ask()) {
      answered.push_back(std::move(made));  // and stays open
      return;
    }
    const grpc::Status status = made->Finish();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << status.error_message();
    ++refused;
  };
  for (int i = 0; i < 10; ++i) call();
  EXPECT_GE(answered.size(), 1u);
  EXPECT_LE(answered.size(), 4u);
  EXPECT_GE(refused, 6);

  grpc::ClientContext context;
  v1::GetServerInfoResponse info;
  EXPECT_TRUE(v1::ParityService::NewStub(channel)
                  ->GetServerInfo(&context, v1::GetServerInfoRequest(), &info)
                  .ok());
  for (const auto& open : answered) EXPECT_TRUE(open->End().ok());
  const size_t before = answered.size();
  while (answered.size() == before) call();  // a thread is free again, soon
}

}  // namespace
}  // namespace parity::testing
