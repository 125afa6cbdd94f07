// What a client may try on its socket, in and after the handshake, and with what it was given.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "attack_fixture.h"
#include "gtest/gtest.h"
#include "live_server.h"
#include "parity/shm/handshake.h"
#include "parity/shm/record.h"
#include "raw_client.h"

namespace parity::shm {
namespace {

using Clock = std::chrono::steady_clock;

TEST_F(AttackTest, AClientThatNeverReadsItsSocketIsServedOnAndHarmsNobody) {
  RawClient client = IntruderWithXor();
  client.submissions().sleeps.value = 1;
  uint64_t taken = client.taken();
  for (int i = 0; i < 20'000; ++i) {
    client.Write(RunRecord(HeaderOf(kPlan, 1, 8), {0, 8}, {16}));
    client.Publish();
    const auto give_up = Clock::now() + RawClient::kPatience;
    while (client.completions().tail.value.load() == taken) {
      ASSERT_LT(Clock::now(), give_up);
      std::this_thread::yield();
    }
    client.submissions().taken_completions.value = ++taken;
  }
  neighbour_.Round();
}

TEST_F(AttackTest, AFloodOnTheSocketKeepsNobodyFromBeingServed) {
  RawClient client = IntruderWithXor();
  const std::vector<char> large(100'000);
  std::atomic<bool> done{false};
  std::atomic<uint64_t> sent{0};
  std::thread flood([&] {
    std::mt19937 random(1);
    while (!done) {
      if (random() % 2 == 0) {
        const int descriptors[] = {client.socket(), client.socket(), client.socket()};
        sent += Send(client.socket(), large.data(), 1 + random() % 2'000, descriptors).ok() ? 1 : 0;
      } else {
        const size_t bytes = random() % 2 == 0 ? 1 : large.size();
        sent += Send(client.socket(), large.data(), bytes).ok() ? 1 : 0;
      }
    }
  });
  const Clock::time_point give_up = Clock::now() + RawClient::kPatience;
  for (int round = 0; round < 100; ++round) neighbour_.Round();
  EXPECT_LT(Clock::now(), give_up);
  EXPECT_EQ(OutcomeOf(client, RunRecord(HeaderOf(kPlan, 1, 8), {0, 8}, {16})), Outcome::kDone);
  done = true;
  flood.join();
  EXPECT_GT(sent, 20u);
}

TEST_F(AttackTest, AnEmptyPacketEndsTheConnection) {
  RawClient client = Intruder();
  ASSERT_EQ(send(client.socket(), "", 0, MSG_NOSIGNAL), 0);
  EXPECT_TRUE(client.AwaitClosed());
}

TEST_F(AttackTest, AHalfClosedConnectionEnds) {
  RawClient client = Intruder();
  shutdown(client.socket(), SHUT_WR);
  EXPECT_TRUE(client.AwaitClosed());
  // One that reads no more is served until it goes.
  RawClient deaf = IntruderWithXor();
  shutdown(deaf.socket(), SHUT_RD);
  deaf.submissions().sleeps.value = 1;
  for (int i = 0; i < 100; ++i) deaf.Write(RunRecord(HeaderOf(kPlan, 1, 8), {0, 8}, {16}));
  deaf.Publish();
  neighbour_.Round();
}

TEST_F(AttackTest, ClosingAtAnyStepOfTheHandshakeLeavesNothing) {
  for (int round = 0; round < 50; ++round) {
    const std::vector<std::function<void(RawClient&)>> steps = {
        [](RawClient&) {},
        [](RawClient& client) { client.SayHello(); },
        [](RawClient& client) { client.ReceiveWelcome(); },
        [](RawClient& client) { client.Map(); },
        [](RawClient& client) { client.SayMapped(); },
        [](RawClient& client) { client.ReceiveSealed(); },
        [](RawClient& client) {
          client.Write(ShortestRecord());
          client.Publish();
        }};
    for (size_t last = 0; last < steps.size(); ++last) {
      RawClient client(server_.path());
      ASSERT_TRUE(client.connected());
      for (size_t step = 0; step <= last; ++step) steps[step](client);
    }
    // Out of order, and twice.
    RawClient hasty(server_.path());
    hasty.SayMapped();
    EXPECT_TRUE(hasty.AwaitClosed());
    RawClient eager(server_.path());
    eager.SayHello();
    eager.SayHello();
    EXPECT_TRUE(eager.ReceiveWelcome());
    EXPECT_TRUE(eager.AwaitClosed());
    RawClient ahead(server_.path());
    ahead.SayHello();
    ahead.SayMapped();
    ahead.ReceiveWelcome();
    ahead.ReceiveSealed();
  }
}

TEST_F(AttackTest, AHelloThatIsNoneIsRefused) {
  const auto refusal = [this](const std::function<void(RawClient&)>& say) {
    RawClient client(server_.path());
    say(client);
    EXPECT_FALSE(client.ReceiveWelcome());
    EXPECT_TRUE(client.AwaitClosed());
    return static_cast<absl::StatusCode>(client.welcome().code);
  };
  const auto answer = [&refusal](const std::function<void(Hello&)>& change) {
    return refusal([&change](RawClient& client) {
      Hello hello;
      hello.region_bytes = RawClient::kRegionBytes;
      change(hello);
      EXPECT_TRUE(Send(client.socket(), hello).ok());
    });
  };
  const absl::StatusCode invalid = absl::StatusCode::kInvalidArgument;
  EXPECT_EQ(answer([](Hello& hello) { hello.magic ^= 1; }), invalid);
  EXPECT_EQ(answer([](Hello& hello) { hello.version = 0; }), invalid);
  EXPECT_EQ(answer([](Hello& hello) { hello.version = kVersion + 1; }), invalid);
  EXPECT_EQ(answer([](Hello& hello) { hello.region_bytes = 0; }), invalid);
  for (const uint64_t bytes :
       {(uint64_t{16} << 20) + 1, uint64_t{1} << 40, kHalf, kMost - 4095, kMost}) {
    EXPECT_EQ(answer([bytes](Hello& hello) { hello.region_bytes = bytes; }),
              absl::StatusCode::kResourceExhausted)
        << bytes;
  }
  const std::vector<char> bytes(100'000);
  for (const size_t length : {size_t{1}, sizeof(Hello) - 1, sizeof(Hello) + 1, bytes.size()}) {
    EXPECT_EQ(refusal([&](RawClient& client) {
                EXPECT_TRUE(Send(client.socket(), bytes.data(), length).ok());
              }),
              invalid)
        << length;
  }
  for (const int32_t node : {-2, INT_MIN, INT_MAX, 1'000}) {
    RawClient client(server_.path());
    Hello wanted;
    wanted.node = node;
    wanted.region_bytes = 1;
    EXPECT_TRUE(Send(client.socket(), wanted).ok());
    EXPECT_TRUE(client.ReceiveWelcome()) << "a node that there is not is as good as any";
  }
}

TEST_F(AttackTest, DescriptorsInTheHandshakeAreClosed) {
  for (int round = 0; round < 20; ++round) {
    RawClient client(server_.path());
    Hello hello;
    hello.region_bytes = RawClient::kRegionBytes;
    const std::vector<int> descriptors(8, client.socket());
    ASSERT_TRUE(Send(client.socket(), hello, descriptors).ok());
    ASSERT_TRUE(client.ReceiveWelcome());
    ASSERT_TRUE(client.Map());
    ASSERT_TRUE(Send(client.socket(), Mapped(), descriptors).ok());
    EXPECT_TRUE(client.ReceiveSealed());
  }
}

TEST_F(AttackTest, MemoryThatTheClientHasSealedIsNotServed) {
  for (const size_t which : {0, 2}) {
    RawClient client(server_.path());
    ASSERT_TRUE(client.SayHello() && client.ReceiveWelcome() && client.Map());
    ASSERT_EQ(fcntl(client.descriptors()[which].get(), F_ADD_SEALS, F_SEAL_SEAL), 0);
    ASSERT_TRUE(client.SayMapped());
    EXPECT_FALSE(client.ReceiveSealed());
    EXPECT_TRUE(client.AwaitClosed());
  }
}

TEST_F(AttackTest, RegionsHaveABoundForOneUser) {
  std::vector<RawClient> clients;
  while (clients.size() < 40) {
    RawClient client(server_.path());
    if (!client.ShakeHands(16 << 20)) {
      EXPECT_EQ(static_cast<absl::StatusCode>(client.welcome().code),
                absl::StatusCode::kResourceExhausted);
      break;
    }
    clients.push_back(std::move(client));
  }
  EXPECT_GE(clients.size(), 2u);
  EXPECT_LT(clients.size(), 8u);
}

TEST_F(AttackTest, ThoseWhoSayNothingAreLetGoAndOthersAreServedMeanwhile) {
  std::vector<RawClient> silent;
  for (int i = 0; i < 20; ++i) silent.emplace_back(server_.path());
  RawClient half(server_.path());
  ASSERT_TRUE(half.SayHello() && half.ReceiveWelcome());
  ExpectServes(server_);
  neighbour_.Round();
  for (RawClient& client : silent) EXPECT_TRUE(client.AwaitClosed());
  EXPECT_TRUE(half.AwaitClosed());
}

TEST_F(AttackTest, ThoseWhoSayNothingKeepNobodyOut) {
  std::vector<RawClient> silent;
  for (int i = 0; i < 200; ++i) silent.emplace_back(server_.path());
  ExpectServes(server_);
  neighbour_.Round();
  for (RawClient& client : silent) EXPECT_TRUE(client.AwaitClosed() || !client.connected());
}

TEST_F(AttackTest, WhatAChildKeepsOpenCountsUntilTheChildEnds) {
  RawClient client = IntruderWithXor();
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  ASSERT_NE(child, -1);
  if (child == 0) {
    // Holds the memory and its descriptors, but not the connection, until it is told to end.
    close(client.socket());
    close(pipe_ends[1]);
    char byte;
    const ssize_t got = read(pipe_ends[0], &byte, 1);
    _exit(got == 0 ? 0 : 1);
  }
  close(pipe_ends[0]);
  const LiveServer::Level with_client = server_.level();
  EXPECT_EQ(with_client.regions, level_.regions + 1);
  client = RawClient("");
  // The region is gone, but not its memory.
  LiveServer::Level with_child = level_;
  ++with_child.descriptors;
  with_child.region_bytes = with_client.region_bytes;
  server_.ExpectBackAt(with_child);
  ExpectServes(server_);
  close(pipe_ends[1]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(AttackTest, NoNumberButItsOwnFindsARegion) {
  RawClient client = Intruder();
  EXPECT_NE(server_.server().regions()->Find(client.welcome().region), nullptr);
  for (int i = 0; i < 10'000; ++i) EXPECT_EQ(server_.server().regions()->Find(random_()), nullptr);
  for (const uint64_t id :
       {uint64_t{0}, client.welcome().region + 1, client.welcome().region - 1}) {
    EXPECT_EQ(server_.server().regions()->Find(id), nullptr);
  }
}

// The kernel keeps what somebody has open, on the server's account: what a client may have at once
// it must not get by going and coming back.
TEST_F(AttackTest, MemoryThatAClientKeepsCountsUntilItLetsItGo) {
  std::vector<RawClient> clients;
  for (int i = 0; i < 40; ++i) {
    RawClient client(server_.path());
    const bool has = client.ShakeHands(16 << 20);
    // It goes; mappings or descriptors stay, of one memory or of all.
    if (i % 2 == 0) client.CloseDescriptors();
    client.CloseSocket();
    if (!has) {
      EXPECT_EQ(static_cast<absl::StatusCode>(client.welcome().code),
                absl::StatusCode::kResourceExhausted);
      break;
    }
    clients.push_back(std::move(client));
  }
  EXPECT_GE(clients.size(), 2u);
  EXPECT_LT(clients.size(), 8u);
  EXPECT_GE(server_.level().region_bytes, clients.size() * (16 << 20));
}

}  // namespace
}  // namespace parity::shm
