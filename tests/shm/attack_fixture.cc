#include "attack_fixture.h"

#include <chrono>
#include <optional>
#include <thread>

#include "absl/status/status.h"
#include "parity/codec/geometry.h"

namespace parity::shm {

using codec::Code;
using codec::Geometry;
using Clock = std::chrono::steady_clock;

RecordHeader HeaderOf(uint16_t plan, uint32_t stripes, uint64_t shard_bytes, uint64_t id) {
  RecordHeader header{};
  header.kind = RecordKind::kRun;
  header.plan = plan;
  header.stripes = stripes;
  header.id = id;
  header.shard_bytes = shard_bytes;
  header.words = RecordHeader::kWords;
  return header;
}

std::vector<uint64_t> ShortestRecord(uint64_t id) {
  return RunRecord(HeaderOf(0, 1, 1, id), {}, {});
}

AttackTest::AttackTest()
    : server_(TestedLimits()), neighbour_(server_.path(), 7), level_(server_.level()) {}

AttackTest::~AttackTest() {
  // It was there all the time, and sees nothing of it all in its own memory.
  for (int round = 0; round < 3; ++round) neighbour_.Round();
  ExpectServes(server_);
  server_.ExpectBackAt(level_);
}

rings::Limits AttackTest::TestedLimits() {
  rings::Limits limits;
  limits.max_region_bytes = 16 << 20;
  limits.max_regions_bytes = 128 << 20;
  limits.max_regions = 40;
  return limits;
}

RawClient AttackTest::Intruder(uint64_t region_bytes) {
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(60);
  while (true) {
    RawClient client(server_.path());
    const bool served = client.ShakeHands(region_bytes);
    const bool full = static_cast<absl::StatusCode>(client.welcome().code) ==
                      absl::StatusCode::kResourceExhausted;
    if (served || !full || Clock::now() > deadline) {
      EXPECT_TRUE(served) << client.welcome().text;
      return client;
    }
    std::this_thread::yield();
  }
}

RawClient AttackTest::IntruderWith(const Plan& plan) {
  RawClient client = Intruder();
  client.Write(DefineRecord(kPlan, plan, 0));
  client.Publish();
  const auto ended = client.Take();
  EXPECT_TRUE(ended.has_value() && ended->outcome == Outcome::kDone);
  return client;
}

RawClient AttackTest::IntruderWithXor() {
  return IntruderWith({Operation::kEncode, *Geometry::Make(Code::kXor, 2, 1), {}, {}});
}

Outcome AttackTest::OutcomeOf(RawClient& client, const std::vector<uint64_t>& record) {
  client.Write(record);
  client.Publish();
  const std::optional<Ended> ended = client.Take();
  EXPECT_TRUE(ended.has_value());
  return ended.has_value() ? ended->outcome : Outcome::kDone;
}

void AttackTest::ExpectOthersServed(
    const std::function<void(const std::atomic<bool>& done)>& hostile) {
  const auto time_rounds = [this] {
    const Clock::time_point begin = Clock::now();
    for (int round = 0; round < 100; ++round) neighbour_.Round();
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count();
  };
  RecordProperty("alone_ms", static_cast<int>(time_rounds()));
  std::atomic<bool> done{false};
  std::thread thread([&] {
    while (!done) hostile(done);
  });
  RecordProperty("together_ms", static_cast<int>(time_rounds()));
  done = true;
  thread.join();
}

}  // namespace parity::shm
