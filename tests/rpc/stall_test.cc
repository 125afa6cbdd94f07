// Peers that do not read: closed after the stall timeout, and only they.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "bare_peers.h"
#include "captured_log.h"
#include "gtest/gtest.h"
#include "parity/v1/parity.grpc.pb.h"
#include "parity/wire/stripe_message.h"
#include "server_fixture.h"

namespace parity::testing {
namespace {

constexpr size_t kAnswerBytes = 30 << 20;  // more than the socket buffers hold
constexpr char kClosing[] = "closing the connection of ";

v1::EncodeRequest RequestOfAnAnswerOf(size_t bytes) {
  v1::EncodeRequest request;
  *request.mutable_geometry() = wire::ToProto(*codec::Geometry::Make(codec::Code::kXor, 1, 1));
  request.set_shard_bytes(bytes);
  request.add_shards("x");
  return request;
}

rpc::Limits StallTimeout(absl::Duration timeout) {
  rpc::Limits limits;
  limits.stall_timeout = timeout;
  return limits;
}

size_t ResidentMebibytes() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.rfind("VmRSS:", 0) == 0) return std::stoul(line.substr(6)) >> 10;
  }
  return 0;
}

class Stall : public ::testing::TestWithParam<bool> {
 protected:
  static std::string AddressOf(const RunningServer& server) {
    return GetParam() ? server.unix_socket() : server.tcp();
  }
};

TEST_P(Stall, APeerThatStopsReadingIsClosedAndItsCallEnds) {
  const CapturedLog log;
  RunningServer server(StallTimeout(absl::Milliseconds(300)));
  BarePeer peer(AddressOf(server));
  const absl::Time start = absl::Now();
  peer.SendEncode(RequestOfAnAnswerOf(kAnswerBytes));
  ASSERT_TRUE(log.Await(kClosing));
  EXPECT_GE(absl::Now() - start, absl::Milliseconds(300));
  EXPECT_EQ(log.Count(GetParam() ? "closing the connection of pid " + std::to_string(getpid())
                                 : "closing the connection of 127.0.0.1:"),
            1);
  server.Stop(absl::InfiniteDuration());  // so no call is under way
  EXPECT_LT(peer.ReadToEnd(), kAnswerBytes);
}

TEST_P(Stall, APeerThatIsStoppedIsClosed) {
  const CapturedLog log;
  RunningServer server(StallTimeout(absl::Milliseconds(300)));
  auto peer = std::make_unique<BarePeer>(AddressOf(server));
  peer->SendEncode(RequestOfAnAnswerOf(kAnswerBytes));
  const pid_t reader = fork();
  if (reader == 0) {  // only what is safe in the child of a process with threads
    dup2(peer->fd(), 0);
    close_range(1, ~0U, 0);
    static char bytes[4096];
    raise(SIGSTOP);
    while (read(0, bytes, sizeof bytes) > 0) {
    }
    _exit(0);
  }
  peer = nullptr;  // the child has it
  int status = 0;
  ASSERT_EQ(waitpid(reader, &status, WUNTRACED), reader);
  ASSERT_TRUE(WIFSTOPPED(status));
  EXPECT_TRUE(log.Await(kClosing));
  server.Stop(absl::InfiniteDuration());
  kill(reader, SIGKILL);
  waitpid(reader, &status, 0);
}

TEST_P(Stall, AnswersThatNobodyReadsAreReleased) {
  const CapturedLog log;
  RunningServer server(StallTimeout(absl::Seconds(2)));
  constexpr int kPeers = 16;
  constexpr size_t kHeldMebibytes = 400;  // of 480, to be on the safe side
  std::vector<std::unique_ptr<BarePeer>> peers;
  const size_t before = ResidentMebibytes();
  for (int i = 0; i < kPeers; ++i) {
    peers.push_back(std::make_unique<BarePeer>(AddressOf(server)));
    peers.back()->SendEncode(RequestOfAnAnswerOf(kAnswerBytes));
    peers.back()->AwaitBytes(10'000);
  }
  const size_t held = ResidentMebibytes();
  EXPECT_GE(held, before + kHeldMebibytes);
  // What comes back beyond what the workers keep for the next answers, 64 MiB each.
  const absl::Time deadline = absl::Now() + absl::Seconds(20);
  while (ResidentMebibytes() > held - kHeldMebibytes + 160 && absl::Now() < deadline) {
    absl::SleepFor(absl::Milliseconds(10));
  }
  EXPECT_LE(ResidentMebibytes(), held - kHeldMebibytes + 160);
  EXPECT_EQ(log.Count(kClosing), 1) << "one line for a burst";
}

TEST_P(Stall, ASlowReaderIsNotClosed) {
  const CapturedLog log;
  RunningServer server(StallTimeout(absl::Seconds(1)));
  BarePeer peer(AddressOf(server));
  peer.SendEncode(RequestOfAnAnswerOf(kAnswerBytes));
  size_t got = 0;
  const absl::Time end = absl::Now() + absl::Seconds(4);
  while (absl::Now() < end) {
    ASSERT_TRUE(peer.HasBytes(5000));
    got += peer.Take(64 << 10);
    absl::SleepFor(absl::Milliseconds(100));  // its pace
  }
  EXPECT_EQ(log.Count(kClosing), 0);
  while (got < kAnswerBytes && peer.HasBytes(5000)) {
    const size_t taken = peer.Take(1 << 20);
    ASSERT_GT(taken, 0u) << "closed after " << got << " bytes";
    got += taken;
  }
  EXPECT_GE(got, kAnswerBytes);
}

// The queue is full again whenever the server looks.
TEST_P(Stall, APeerThatReadsNowAndThenIsNotClosed) {
  const CapturedLog log;
  RunningServer server(StallTimeout(absl::Seconds(1)));
  BarePeer peer(AddressOf(server));
  for (int i = 0; i < 4; ++i) peer.SendEncode(RequestOfAnAnswerOf(kAnswerBytes));
  const absl::Time end = absl::Now() + absl::Seconds(4);
  while (absl::Now() < end) {
    ASSERT_TRUE(peer.HasBytes(5000));
    size_t got = 0;
    while (got < (3 << 20) && peer.HasBytes(100)) {
      const size_t taken = peer.Take(1 << 20);
      ASSERT_GT(taken, 0u) << "closed";
      got += taken;
    }
    absl::SleepFor(absl::Milliseconds(500));  // its pace
  }
  EXPECT_EQ(log.Count(kClosing), 0);
}

// Whenever the server looks, one answer of the same size waits.
TEST_P(Stall, APeerThatAsksAheadIsNotClosed) {
  const CapturedLog log;
  RunningServer server(StallTimeout(absl::Seconds(1)));
  for (size_t answer_bytes : {1000, 700'000}) {
    BarePeer peer(AddressOf(server));
    const absl::Time end = absl::Now() + absl::Seconds(3);
    while (absl::Now() < end) {
      peer.SendEncode(RequestOfAnAnswerOf(answer_bytes));
      absl::SleepFor(absl::Milliseconds(400));  // its pace
      while (peer.HasBytes(0)) {
        ASSERT_GT(peer.Take(1 << 20), 0u);
      }
    }
  }
  EXPECT_EQ(log.Count(kClosing), 0);
}

// A client that reads its socket, but not its stream: HTTP/2's window keeps the answers at the
// server, where no queue of the kernel shows them.
class Stream : public ::testing::Test {
 protected:
  using Exchange = grpc::ClientReaderWriter<v1::ProcessRequest, v1::ProcessResponse>;

  // Sends 10 requests, each with an answer of 4 MiB.
  std::unique_ptr<Exchange> Begin() {
    std::unique_ptr<Exchange> exchange = stub_->Process(&context_);
    v1::ProcessRequest request;
    *request.mutable_encode() = RequestOfAnAnswerOf(4 << 20);
    for (uint64_t id = 0; id < 10; ++id) {
      request.set_id(id);
      EXPECT_TRUE(exchange->Write(request));
    }
    exchange->WritesDone();
    return exchange;
  }

  RunningServer server_{StallTimeout(absl::Seconds(1))};
  const std::unique_ptr<v1::ParityService::Stub> stub_ =
      v1::ParityService::NewStub(server_.Connect());
  grpc::ClientContext context_;
};

TEST_F(Stream, WhoseAnswersNobodyTakesIsCancelled) {
  const std::unique_ptr<Exchange> exchange = Begin();
  // These calls share the connection, so its socket is read.
  while (StatsOf(*stub_).requests() == 0) std::this_thread::yield();
  EXPECT_GT(StatsOf(*stub_).held_bytes(), 0u);
  AwaitNothingHeld(*stub_);
  v1::ProcessResponse response;
  while (exchange->Read(&response)) {
  }
  EXPECT_EQ(exchange->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

TEST_F(Stream, WhoseAnswersAreTakenSlowlyIsNotCancelled) {
  const std::unique_ptr<Exchange> exchange = Begin();
  v1::ProcessResponse response;
  int answers = 0;
  while (exchange->Read(&response)) {
    ++answers;
    absl::SleepFor(absl::Milliseconds(500));  // its pace: longer, in all, than patience with none
  }
  const grpc::Status status = exchange->Finish();
  EXPECT_TRUE(status.ok()) << status.error_code() << " " << status.error_message();
  EXPECT_EQ(answers, 10);
}

TEST_P(Stall, ZeroMeansNever) {
  const CapturedLog log;
  RunningServer server(StallTimeout(absl::ZeroDuration()));
  BarePeer peer(AddressOf(server));
  peer.SendEncode(RequestOfAnAnswerOf(kAnswerBytes));
  peer.AwaitBytes(10'000);
  absl::SleepFor(absl::Milliseconds(500));
  EXPECT_EQ(log.Count(kClosing), 0);
  EXPECT_GE(peer.Take(1000), 1000u);
}

INSTANTIATE_TEST_SUITE_P(On, Stall, ::testing::Values(false, true), [](const auto& unix_socket) {
  return std::string(unix_socket.param ? "Unix" : "Tcp");
});

absl::Duration ProcessorTime() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return absl::DurationFromTimeval(used.ru_utime) + absl::DurationFromTimeval(used.ru_stime);
}

TEST(IdleConnections, AThousandCostUnderOnePercentOfACore) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_max < 4000) GTEST_SKIP() << "at most " << files.rlim_max << " open files";
  const rlimit raised = {4000, files.rlim_max};
  setrlimit(RLIMIT_NOFILE, &raised);
  rpc::Limits limits;
  limits.stall_timeout = absl::Seconds(8);  // looks every second
  RunningServer server(limits);
  std::vector<std::unique_ptr<BarePeer>> peers;
  for (int i = 0; i < 1000; ++i) {
    peers.push_back(std::make_unique<BarePeer>(server.unix_socket()));
    peers.back()->AwaitBytes(1);
    while (peers.back()->HasBytes(1)) peers.back()->Take(1000);
  }
  const absl::Duration before = ProcessorTime();
  absl::SleepFor(absl::Seconds(3));  // what is measured
  const absl::Duration used = ProcessorTime() - before;
  RecordProperty("processor_us", static_cast<int>(absl::ToInt64Microseconds(used)));
  EXPECT_LT(used, absl::Milliseconds(30));
  peers.clear();
  server.Stop(absl::Seconds(5));
  setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace
}  // namespace parity::testing
