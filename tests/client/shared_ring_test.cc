#include "shared_ring.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <random>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "parity/client/local_coder.h"
#include "scripted_server.h"

namespace parity::client {
namespace {

codec::Geometry ReedSolomon(uint32_t k, uint32_t m) {
  return *codec::Geometry::Make(codec::Code::kReedSolomon, k, m);
}

std::shared_ptr<SharedRing> MustConnect(const std::string& target, uint64_t bytes = 8 << 20) {
  RingOptions options;
  options.target = target;
  options.region_bytes = bytes;
  auto ring = SharedRing::Connect(options);
  EXPECT_TRUE(ring.ok()) << ring.status();
  return ring.ok() ? *std::move(ring) : nullptr;
}

void Serve(ScriptedSession& session) {
  if (session.ShakeHands()) session.ServeAll();
}

// Encodes two bytes-long shards that lie in the region.
class Encoding {
 public:
  Encoding(SharedRing& ring, size_t bytes) : ring_(ring), bytes_(bytes) {
    memory_ = ring.pages().Allocate(4 * bytes);
    std::memset(memory_, 0x55, bytes);
    std::memset(memory_ + bytes, 0x0f, bytes);
    sources_ = {memory_, memory_ + bytes};
    outputs_ = {memory_ + 2 * bytes};
  }
  absl::Status Start(SharedRing::Job& job, absl::Time deadline) {
    RingJob spec;
    spec.shard_bytes = bytes_;
    spec.sources = sources_;
    spec.outputs = outputs_;
    return ring_.Start({Operation::kEncode, geometry_, {}, {}}, spec, job, deadline);
  }
  uint8_t* output() { return outputs_[0]; }

 private:
  SharedRing& ring_;
  const codec::Geometry geometry_ = *codec::Geometry::Make(codec::Code::kXor, 2, 1);
  const size_t bytes_;
  uint8_t* memory_;
  std::vector<const uint8_t*> sources_;
  std::vector<uint8_t*> outputs_;
};

absl::Time Soon() { return absl::Now() + absl::Seconds(10); }

TEST(SharedRing, GivesEveryThreadItsOwnCompletions) {
  const ScriptedServer server(Serve);
  const auto ring = MustConnect(server.target());
  std::vector<std::thread> threads;
  for (int id = 0; id < 8; ++id) {
    threads.emplace_back([&ring, id] {
      std::mt19937 random(static_cast<uint32_t>(id));
      Encoding encoding(*ring, 4096);
      for (int i = 0; i < 1'000; ++i) {
        SharedRing::Job job;
        std::memset(encoding.output(), 0, 4096);
        ASSERT_TRUE(encoding.Start(job, Soon()).ok());
        for (auto yields = random() % 8; yields > 0; --yields) std::this_thread::yield();
        const absl::Status status = ring->Await(job, Soon());
        ASSERT_TRUE(status.ok()) << status;
        ASSERT_TRUE(job.status().ok()) << job.status();
        ASSERT_EQ(encoding.output()[random() % 4096], 0x5a);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(SharedRing, WaitsWhileTheRingIsFull) {
  const ScriptedServer server(Serve);
  const auto ring = MustConnect(server.target());
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id) {
    threads.emplace_back([&ring] {
      Encoding encoding(*ring, 64);
      std::vector<std::unique_ptr<SharedRing::Job>> jobs;
      for (int i = 0; i < 700; ++i) {
        jobs.push_back(std::make_unique<SharedRing::Job>());
        ASSERT_TRUE(encoding.Start(*jobs.back(), Soon()).ok());
      }
      for (const auto& job : jobs) {
        ASSERT_TRUE(ring->Await(*job, Soon()).ok());
        ASSERT_TRUE(job->status().ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// More plans than there are places, and larger ones than may be defined together.
TEST(SharedRing, DefinesPlansAgainThatHaveLostTheirPlaces) {
  const ScriptedServer server(Serve);
  const auto ring = MustConnect(server.target());
  uint8_t* const memory = ring->pages().Allocate(1 << 20);
  std::mt19937 random(1);
  for (int i = 0; i < 400; ++i) {
    const bool large = random() % 3 == 0;
    const uint32_t k = large ? 100 + random() % 20 : 1 + random() % 12;
    const uint32_t m = large ? 100 + random() % 20 : 1 + random() % 12;
    const codec::Geometry geometry = ReedSolomon(k, m);
    std::vector<const uint8_t*> sources;
    std::vector<uint8_t*> outputs;
    for (uint32_t j = 0; j < k; ++j) sources.push_back(memory + j * 8);
    for (uint32_t j = 0; j < m; ++j) outputs.push_back(memory + (k + j) * 8);
    RingJob spec;
    spec.shard_bytes = 8;
    spec.sources = sources;
    spec.outputs = outputs;
    SharedRing::Job job;
    ASSERT_TRUE(ring->Start({Operation::kEncode, geometry, {}, {}}, spec, job, Soon()).ok());
    ASSERT_TRUE(ring->Await(job, Soon()).ok());
    ASSERT_TRUE(job.status().ok()) << job.status();
  }
}

// The server never answers, and writes when the call has long returned.
TEST(SharedRing, ALateServerWritesToNobody) {
  std::promise<void> written;
  ScriptedServer server([&](ScriptedSession& session) {
    if (!session.ShakeHands()) return;
    session.Serve(*session.Next());
    const auto record = session.Next();
    session.AwaitGate();
    EXPECT_EQ(session.Compute(*record), shm::Outcome::kDone);
    written.set_value();
  });
  const auto ring = MustConnect(server.target());
  Encoding encoding(*ring, 4096);
  SharedRing::Job job;
  job.outputs_in_place.emplace_back(encoding.output(), 4096);
  const absl::Time start = absl::Now();
  ASSERT_TRUE(encoding.Start(job, Soon()).ok());
  EXPECT_TRUE(absl::IsDeadlineExceeded(ring->Await(job, start + absl::Milliseconds(50))));
  EXPECT_LT(absl::Now() - start, absl::Seconds(2));
  EXPECT_TRUE(ring->is_lost());
  std::memset(encoding.output(), 7, 4096);
  server.OpenGate();
  ASSERT_EQ(written.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
  for (int i = 0; i < 4096; ++i) ASSERT_EQ(encoding.output()[i], 7);
}

TEST(SharedRing, IsLostForAllWhenOneCallRunsOutOfTime) {
  const ScriptedServer server([](ScriptedSession& session) {
    if (session.ShakeHands()) session.AwaitGone();
  });
  const auto ring = MustConnect(server.target());
  std::vector<std::thread> threads;
  const absl::Time start = absl::Now();
  for (int id = 0; id < 4; ++id) {
    threads.emplace_back([&ring, start, id] {
      Encoding encoding(*ring, 4096);
      SharedRing::Job job;
      ASSERT_TRUE(encoding.Start(job, Soon()).ok());
      const absl::Status status =
          ring->Await(job, start + (id == 2 ? absl::Milliseconds(100) : absl::Seconds(30)));
      EXPECT_EQ(status.code(),
                id == 2 ? absl::StatusCode::kDeadlineExceeded : absl::StatusCode::kUnavailable)
          << status;
      SharedRing::Job another;
      EXPECT_TRUE(absl::IsUnavailable(encoding.Start(another, Soon())));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LT(absl::Now() - start, absl::Seconds(5));
}

TEST(SharedRing, IsLostWhenTheServerDies) {
  const ScriptedServer server([](ScriptedSession& session) {
    if (!session.ShakeHands()) return;
    session.Serve(*session.Next());
    session.Next();
  });
  const auto ring = MustConnect(server.target());
  Encoding encoding(*ring, 4096);
  SharedRing::Job job;
  ASSERT_TRUE(encoding.Start(job, Soon()).ok());
  EXPECT_TRUE(absl::IsUnavailable(ring->Await(job, absl::InfiniteFuture())));
  EXPECT_TRUE(ring->is_lost());
}

TEST(SharedRing, StagingMemoryIsAwaitedInTheOrderOfAsking) {
  const ScriptedServer server(Serve);
  const auto ring = MustConnect(server.target(), 1 << 20);
  const size_t most = ring->most_staging();
  std::vector<uint8_t*> all;
  while (uint8_t* const data = ring->TryStage(most)) all.push_back(data);
  EXPECT_EQ(all.size(), 4u);
  EXPECT_TRUE(
      absl::IsDeadlineExceeded(ring->Stage(most, absl::Now() + absl::Milliseconds(20)).status()));
  std::atomic<int> asking{0};
  std::atomic<int> got{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      ++asking;
      const auto data = ring->Stage(most, Soon());
      ASSERT_TRUE(data.ok()) << data.status();
      ++got;
      ring->Unstage(*data, most);
    });
  }
  while (asking < 6) std::this_thread::yield();
  EXPECT_EQ(got, 0);
  for (uint8_t* data : all) ring->Unstage(data, most);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(got, 6);
  all.clear();
  while (uint8_t* const data = ring->TryStage(most)) all.push_back(data);
  std::thread waiting([&] {
    ++asking;
    EXPECT_TRUE(absl::IsUnavailable(ring->Stage(most, Soon()).status()));
  });
  while (asking < 7) std::this_thread::yield();
  ring->Lose(absl::UnavailableError("lost"));
  waiting.join();
}

}  // namespace
}  // namespace parity::client
