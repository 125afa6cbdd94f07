// A live server for clients that keep to nothing: afterwards it serves others, and holds no more.
#ifndef PARITY_TESTS_SHM_ATTACK_FIXTURE_H_
#define PARITY_TESTS_SHM_ATTACK_FIXTURE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "live_server.h"
#include "parity/rings/limits.h"
#include "parity/shm/record.h"
#include "raw_client.h"

namespace parity::shm {

inline constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
inline constexpr uint64_t kHalf = uint64_t{1} << 63;
inline constexpr uint16_t kPlan = 3;

RecordHeader HeaderOf(uint16_t plan, uint32_t stripes, uint64_t shard_bytes, uint64_t id = 1);

// Of a plan that there is not: the shortest record that gets a completion.
std::vector<uint64_t> ShortestRecord(uint64_t id = 1);

class AttackTest : public ::testing::Test {
 protected:
  AttackTest();
  ~AttackTest() override;

  static rings::Limits TestedLimits();

  // Waits for room: what earlier intruders had under way may not have ended yet.
  RawClient Intruder(uint64_t region_bytes = RawClient::kRegionBytes);

  // An intruder that has defined a plan in kPlan.
  RawClient IntruderWith(const Plan& plan);
  RawClient IntruderWithXor();

  static Outcome OutcomeOf(RawClient& client, const std::vector<uint64_t>& record);

  // Has `hostile` run over and over on a thread of its own, while others are served all the same.
  // How much slower is recorded.
  void ExpectOthersServed(const std::function<void(const std::atomic<bool>& done)>& hostile);

  LiveServer server_;
  HonestClient neighbour_;
  LiveServer::Level level_;
  std::mt19937_64 random_{5};
};

}  // namespace parity::shm

#endif  // PARITY_TESTS_SHM_ATTACK_FIXTURE_H_
