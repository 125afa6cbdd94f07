#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "absl/time/clock.h"
#include "client_fixture.h"
#include "parity/codec/field_error.h"
#include "speed_table.h"

namespace parity::client {
namespace {

using ::testing::HasSubstr;

using Policies = TwoServers;

TEST_F(Policies, HaveNames) {
  for (const Policy policy :
       {Policy::kRemoteOnly, Policy::kPreferRemote, Policy::kPreferLocal, Policy::kFastest}) {
    EXPECT_EQ(*PolicyFromName(NameOf(policy)), policy);
  }
  EXPECT_EQ(codec::FieldOf(PolicyFromName("best").status()), "policy");
}

TEST_F(Policies, PreferRemoteComputesHereWhileNoServerCan) {
  options_.policy = Policy::kPreferRemote;
  const auto client = Make();
  EXPECT_EQ(Encode(*client), absl::OkStatus());
  EXPECT_EQ(client->GetStats().fallback_slices, 0u);
  one_->Die();
  two_->Die();
  for (int i = 0; i < 100; ++i) ASSERT_EQ(Encode(*client), absl::OkStatus());
  EXPECT_EQ(client->GetStats().fallback_slices, 100u);
  one_->Revive();
  two_->Revive();
  const absl::Time give_up = absl::Now() + absl::Seconds(30);
  while (client->GetStats().remote_slices < 2 && absl::Now() < give_up) {
    ASSERT_EQ(Encode(*client), absl::OkStatus());
  }
  std::vector<std::string> lines = log();
  EXPECT_THAT(lines, ::testing::Contains(HasSubstr("computed in this process: ")).Times(1));
  EXPECT_THAT(lines, ::testing::Contains("servers compute again").Times(1));
}

TEST_F(Policies, PreferRemoteDoesNotWaitForServersThatAskForIt) {
  options_.policy = Policy::kPreferRemote;
  const auto client = Make();
  one_->Otherwise(FakeOutcome::PushesBack(absl::Hours(1)));
  two_->Otherwise(FakeOutcome::PushesBack(absl::Hours(1)));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Encode(*client), absl::OkStatus());
  EXPECT_EQ(Calls(), 2u);
}

TEST_F(Policies, PreferRemoteLeavesTimeForLocalKernels) {
  options_.policy = Policy::kPreferRemote;
  options_.deadline = absl::Milliseconds(200);
  const auto client = MakeOfOne();
  one_->Otherwise(FakeOutcome::Freezes());
  EXPECT_EQ(Encode(*client), absl::OkStatus());
  EXPECT_EQ(one_->calls().size(), 1u);
}

TEST_F(Policies, PreferRemoteComputesHereWhatWasDamagedTwice) {
  options_.policy = Policy::kPreferRemote;
  const auto client = Make();
  one_->Otherwise(FakeOutcome::LosesShard(0));
  two_->Otherwise(FakeOutcome::LosesShard(0));
  EXPECT_EQ(Encode(*client), absl::OkStatus());
  EXPECT_EQ(Calls(), 2u);
}

TEST_F(Policies, PreferLocalAsksNoServerWhileThereAreCpus) {
  options_.policy = Policy::kPreferLocal;
  const auto client = Make();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Encode(*client), absl::OkStatus());
  EXPECT_EQ(Calls(), 0u);
  EXPECT_EQ(client->GetStats().local_slices, 10u);
}

TEST_F(Policies, FastestMeasuresBothWays) {
  options_.policy = Policy::kFastest;
  const auto client = Make();
  for (int i = 0; i < 200; ++i) ASSERT_EQ(Encode(*client), absl::OkStatus());
  const ClientStats stats = client->GetStats();
  EXPECT_GT(stats.remote_slices, 0u);
  EXPECT_GT(stats.local_slices, 0u);
  EXPECT_EQ(stats.fallback_slices, 0u);
}

TEST_F(Policies, FastestComputesHereWhileServersFail) {
  options_.policy = Policy::kFastest;
  const auto client = Make();
  one_->Die();
  two_->Die();
  for (int i = 0; i < 200; ++i) ASSERT_EQ(Encode(*client), absl::OkStatus());
  // Servers count as slower once they have failed: they are not asked by every call.
  EXPECT_GT(client->GetStats().local_slices, 150u);
}

TEST(SpeedTable, ChoosesTheWayThatTookLessAndTriesTheOtherNowAndThen) {
  SpeedTable table;
  const codec::Geometry geometry = *codec::Geometry::Make(codec::Code::kXor, 2, 1);
  std::vector<uint8_t> shard(100);
  const std::vector<ShardBytes> shards = {shard, shard};
  uint8_t* const outputs[] = {shard.data()};
  const Request small{Operation::kEncode, geometry, {}, {}, shards, 100, outputs};
  const Request large{Operation::kEncode, geometry, {}, {}, shards, 100'000, outputs};
  EXPECT_EQ(table.Choose(small), SpeedTable::Way::kLocal);
  table.Add(small, SpeedTable::Way::kLocal, absl::Microseconds(1));
  EXPECT_EQ(table.Choose(small), SpeedTable::Way::kRemote);
  table.Add(small, SpeedTable::Way::kRemote, absl::Microseconds(100));
  table.Add(large, SpeedTable::Way::kLocal, absl::Microseconds(50));
  table.Add(large, SpeedTable::Way::kRemote, absl::Microseconds(20));
  int small_remote = 0;
  int large_remote = 0;
  for (int i = 0; i < 640; ++i) {
    small_remote += table.Choose(small) == SpeedTable::Way::kRemote ? 1 : 0;
    large_remote += table.Choose(large) == SpeedTable::Way::kRemote ? 1 : 0;
  }
  EXPECT_EQ(small_remote, 10);
  EXPECT_EQ(large_remote, 630);
  for (int i = 0; i < 40; ++i) {
    table.Add(large, SpeedTable::Way::kRemote, absl::Microseconds(500));
  }
  EXPECT_EQ(table.Choose(large), SpeedTable::Way::kLocal);
  table.AddFailure(small);
  EXPECT_EQ(table.Choose(small), SpeedTable::Way::kLocal);
}

TEST_F(Policies, AClientWithoutTargetsComputesHere) {
  const auto client = Client::Make({});
  ASSERT_TRUE(client.ok());
  EXPECT_EQ(Encode(**client), absl::OkStatus());
  EXPECT_TRUE(absl::IsInvalidArgument((*client)->GetServerInfo().status()));
  EXPECT_FALSE((*client)->Allocate(100)->is_shared());
  EXPECT_EQ((*client)->GetStats().calls, 1u);
}

TEST_F(Policies, OutputsOverlapNothingInPart) {
  const auto client = Make();
  const codec::Geometry geometry = *codec::Geometry::Make(codec::Code::kRaid6, 2, 2);
  std::vector<uint8_t> memory(400, 3);
  uint8_t* const m = memory.data();
  const std::vector<ShardBytes> data = {{m, 100}, {m + 100, 100}};
  const auto field = [&](const std::vector<uint8_t*>& parity) {
    return codec::FieldOf(client->Encode(geometry, data, 100, parity)).value_or("");
  };
  EXPECT_EQ(field({m + 200, m + 200}), "parity[1]");
  EXPECT_EQ(field({m + 200, m + 299}), "parity[1]");
  EXPECT_EQ(field({m + 199, m + 300}), "parity[0]");
  EXPECT_EQ(field({m + 200}), "parity");
  EXPECT_EQ(field({m + 200, m + 300}), "");
  // As a whole it may: then P takes the place of a shard.
  std::vector<uint8_t> p(memory.begin() + 200, memory.begin() + 300);
  EXPECT_EQ(field({m, m + 300}), "");
  EXPECT_TRUE(std::equal(p.begin(), p.end(), m));
  const absl::Status update =
      client->Update(geometry, {0}, {data[0]}, {data[1]}, 100, {m, m + 300});
  EXPECT_EQ(codec::FieldOf(update), "parity[0]");
}

TEST_F(Policies, ConnectionsEndWithTheClient) {
  options_.connections = 3;
  auto client = Make();
  EXPECT_EQ(Encode(*client), absl::OkStatus());
  EXPECT_EQ(one_->connections(), 3);
  EXPECT_EQ(two_->connections(), 3);
  client = nullptr;
  EXPECT_EQ(one_->connections() + two_->connections(), 0);
}

// What a forked child finds. It leaves no other trace than its exit status.
TEST_F(Policies, AForkedChildIsToldAndDoesNotHang) {
  auto client = Make();
  EXPECT_EQ(Encode(*client), absl::OkStatus());
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const absl::Status status = Encode(*client);
    const bool told = absl::IsFailedPrecondition(status) &&
                      absl::IsFailedPrecondition(client->Allocate(1).status()) &&
                      absl::IsFailedPrecondition(client->GetServerInfo().status());
    client = nullptr;
    auto own = Client::Make({});
    _exit(told && own.ok() && Encode(**own).ok() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(Encode(*client), absl::OkStatus());
}

TEST(ClientOptions, AreCheckedAndNamed) {
  const auto field = [](const std::function<void(ClientOptions&)>& change) {
    ClientOptions options;
    options.targets = {"127.0.0.1:1"};
    options.log = [](const std::string&) {};
    change(options);
    return codec::FieldOf(Client::Make(options).status()).value_or("");
  };
  EXPECT_EQ(field([](auto&) {}), "");
  EXPECT_EQ(field([](auto& o) { o.targets.assign(Client::kMaxTargets, "127.0.0.1:1"); }), "");
  EXPECT_EQ(field([](auto& o) { o.targets.assign(Client::kMaxTargets + 1, "127.0.0.1:1"); }),
            "targets");
  EXPECT_EQ(field([](auto& o) { o.targets.push_back("nowhere"); }), "targets[1]");
  EXPECT_EQ(field([](auto& o) {
              o.targets.clear();
              o.policy = Policy::kRemoteOnly;
            }),
            "targets");
  EXPECT_EQ(field([](auto& o) { o.connections = Client::kMaxConnections; }), "");
  EXPECT_EQ(field([](auto& o) { o.connections = Client::kMaxConnections + 1; }), "connections");
  EXPECT_EQ(field([](auto& o) { o.connections = 0; }), "connections");
  EXPECT_EQ(field([](auto& o) { o.max_attempts = 0; }), "max_attempts");
  EXPECT_EQ(field([](auto& o) { o.max_attempts = 101; }), "max_attempts");
  EXPECT_EQ(field([](auto& o) { o.retry_ratio = 1.1; }), "retry_ratio");
  EXPECT_EQ(field([](auto& o) { o.retry_ratio = -0.1; }), "retry_ratio");
  EXPECT_EQ(field([](auto& o) { o.retry_tokens = -1; }), "retry_tokens");
  EXPECT_EQ(field([](auto& o) { o.deadline = absl::ZeroDuration(); }), "deadline");
  EXPECT_EQ(field([](auto& o) { o.attempt_timeout = absl::ZeroDuration(); }), "attempt_timeout");
  EXPECT_EQ(field([](auto& o) { o.first_backoff = absl::ZeroDuration(); }), "first_backoff");
  EXPECT_EQ(field([](auto& o) { o.resolve_interval = absl::ZeroDuration(); }), "resolve_interval");
  EXPECT_EQ(field([](auto& o) { o.hedge_after = -absl::Seconds(1); }), "hedge_after");
  EXPECT_EQ(field([](auto& o) { o.slice_bytes = (64 << 10) - 1; }), "slice_bytes");
  EXPECT_EQ(field([](auto& o) { o.slice_bytes = 64 << 10; }), "");
  EXPECT_EQ(field([](auto& o) { o.slices_in_flight = 0; }), "slices_in_flight");
  EXPECT_EQ(field([](auto& o) { o.slices_in_flight = 65; }), "slices_in_flight");
  EXPECT_EQ(field([](auto& o) { o.kernels = "abacus"; }), "kernels");
}

}  // namespace
}  // namespace parity::client
