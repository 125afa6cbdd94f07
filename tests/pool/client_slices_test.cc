#include <algorithm>
#include <thread>

#include "client/known_stripes.h"
#include "client_fixture.h"

namespace parity::client {
namespace {

using Slices = TwoServers;

constexpr size_t kSlice = 64 << 10;

TEST_F(Slices, CutLargeStripesAndRunInParallel) {
  options_.slice_bytes = kSlice;
  options_.slices_in_flight = 2;
  const auto client = Make();
  one_->Otherwise(FakeOutcome::Waits());
  two_->Otherwise(FakeOutcome::Waits());
  std::thread caller([&] { EXPECT_EQ(Encode(*client, 1 << 20), absl::OkStatus()); });
  EXPECT_TRUE(one_->AwaitWaiting(1));
  EXPECT_TRUE(two_->AwaitWaiting(1));
  one_->ReleaseAll();
  two_->ReleaseAll();
  caller.join();
  for (const auto& server : {one_, two_}) {
    for (const FakeServer::Call& call : server->calls()) EXPECT_LE(call.bytes, kSlice);
  }
  EXPECT_EQ(one_->bytes() + two_->bytes(), 3u << 20);
  EXPECT_LE(one_->most_at_once() + two_->most_at_once(), 2);
}

TEST_F(Slices, AreTriedAgainByThemselves) {
  options_.slice_bytes = kSlice;
  options_.slices_in_flight = 1;
  const auto client = Make();
  one_->Next(FakeOutcome::Succeeds());
  one_->Next(FakeOutcome::Fails(absl::UnavailableError("once")));
  EXPECT_EQ(Encode(*client, 1 << 20), absl::OkStatus());
  EXPECT_EQ(client->GetStats().retries, 1u);
  EXPECT_LE(one_->bytes() + two_->bytes(), (3u << 20) + kSlice);
}

TEST_F(Slices, AreCutToWhatServersTake) {
  const auto client = Make();
  one_->SetMaxRequestBytes(10'000);
  two_->SetMaxRequestBytes(10'000);
  EXPECT_EQ(Encode(*client, 100'001), absl::OkStatus());
  EXPECT_EQ(client->GetStats().fallback_slices, 0u);
}

TEST_F(Slices, BeginNoMoreOnceOneHasFailed) {
  options_.slice_bytes = kSlice;
  options_.slices_in_flight = 1;
  const auto client = Make();
  const auto fail = [](const Request&) {
    return FakeOutcome::Fails(absl::InvalidArgumentError("no"));
  };
  one_->Otherwise(fail);
  two_->Otherwise(fail);
  EXPECT_TRUE(absl::IsInvalidArgument(Encode(*client, 1 << 20)));
  EXPECT_EQ(Calls(), 1u);
}

TEST_F(Slices, ReportWhatVerifyingTheWholeWould) {
  options_.slice_bytes = kSlice;
  options_.slices_in_flight = 4;
  const auto client = Make();
  const auto geometry = *codec::Geometry::Make(codec::Code::kReedSolomon, 3, 2);
  const auto local = Client::Make({});
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    const size_t bytes = 1 + random() % 300'000;
    std::vector<std::vector<uint8_t>> shards(5, std::vector<uint8_t>(bytes));
    for (int damage = static_cast<int>(random() % 4); damage > 0; --damage) {
      shards[random() % 5][random() % bytes] ^= 1;
    }
    const std::vector<ShardBytes> all(shards.begin(), shards.end());
    const auto expected = (*local)->Verify(geometry, all, bytes);
    const auto report = client->Verify(geometry, all, bytes);
    ASSERT_TRUE(report.ok()) << report.status();
    ASSERT_EQ(report->mismatches.size(), expected->mismatches.size());
    for (size_t i = 0; i < expected->mismatches.size(); ++i) {
      EXPECT_EQ(report->mismatches[i].shard, expected->mismatches[i].shard);
      EXPECT_EQ(report->mismatches[i].offset, expected->mismatches[i].offset);
    }
    EXPECT_EQ(report->suspect, expected->suspect);
  }
}

// Whatever servers do, short of answering wrongly, parity is right or the call has failed; and with
// local kernels behind it fails not at all. Updates are what would suffer from being done twice.
TEST_F(Slices, AreRightWhateverBecomesOfThem) {
  const std::vector<KnownStripe> stripes = MakeKnownStripes(3);
  for (const Policy policy : {Policy::kRemoteOnly, Policy::kPreferRemote, Policy::kFastest}) {
    options_.policy = policy;
    options_.slice_bytes = 100'000;
    options_.slices_in_flight = 3;
    options_.hedge_after = absl::Microseconds(100);
    options_.retry_tokens = 1'000;
    const auto client = Make();
    std::mutex mutex;
    std::mt19937 dice(11);
    const auto trouble = [&](const Request& request) {
      const std::lock_guard<std::mutex> lock(mutex);
      const absl::Status errors[] = {absl::UnavailableError(""), absl::InternalError(""),
                                     absl::DataLossError(""), absl::AbortedError("")};
      const absl::Status& error = errors[dice() % 4];
      switch (dice() % 8) {
        case 0:
          return FakeOutcome::Fails(error);
        case 1:
        case 2:
          return FakeOutcome::FailsAfter(dice() % request.shard_bytes, error);
        case 3:
          return FakeOutcome::PushesBack(absl::Microseconds(dice() % 300));
        default:
          return FakeOutcome::Succeeds();
      }
    };
    one_->Otherwise(trouble);
    two_->Otherwise(trouble);
    std::mt19937 random(5);
    int failed = 0;
    for (int i = 0; i < 400; ++i) {
      const absl::Status status = stripes[random() % stripes.size()].Ask(*client, random);
      if (status.ok()) continue;
      ++failed;
      ASSERT_EQ(std::string(status.message()).find("wrong answer"), std::string::npos) << status;
    }
    EXPECT_LE(failed, policy == Policy::kRemoteOnly ? 399 : 0);
  }
}

}  // namespace
}  // namespace parity::client
