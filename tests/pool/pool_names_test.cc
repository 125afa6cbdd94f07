#include <map>
#include <mutex>

#include "absl/time/clock.h"
#include "client_fixture.h"
#include "pool.h"

namespace parity::client {
namespace {

using ::testing::ElementsAre;

// A name whose addresses a test changes.
class NamedServers : public ::testing::Test {
 protected:
  NamedServers() {
    options_.targets = {"dns:///parity.example:7420"};
    options_.resolve_interval = absl::Milliseconds(5);
    options_.log = [](const std::string&) {};
    options_.connect = [](const std::string&) -> absl::StatusOr<std::unique_ptr<Connection>> {
      return std::make_unique<FakeConnection>();
    };
  }
  void Set(absl::StatusOr<std::vector<std::string>> addresses) {
    const std::lock_guard<std::mutex> lock(mutex_);
    addresses_ = std::move(addresses);
  }
  std::unique_ptr<Pool> Make() {
    return *Pool::Make(options_, [this](const std::string& host) {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++lookups_;
      if (host == "parity.example") return addresses_;
      return absl::StatusOr<std::vector<std::string>>(absl::UnavailableError("no such name"));
    });
  }
  static std::vector<std::string> Addresses(Pool& pool) {
    std::vector<std::string> addresses;
    for (const auto& server : pool.Stats()) addresses.push_back(server.address);
    return addresses;
  }
  template <class Condition>
  static bool Await(Condition condition) {
    const absl::Time give_up = absl::Now() + absl::Seconds(30);
    while (!condition() && absl::Now() < give_up) std::this_thread::yield();
    return condition();
  }
  int lookups() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return lookups_;
  }

  ClientOptions options_;

 private:
  std::mutex mutex_;
  absl::StatusOr<std::vector<std::string>> addresses_ = std::vector<std::string>{};
  int lookups_ = 0;
};

TEST_F(NamedServers, AreAllTheAddressesThatTheNameHas) {
  Set(std::vector<std::string>{"10.0.0.2", "10.0.0.1", "fd00::1"});
  const auto pool = Make();
  EXPECT_TRUE(pool->Choose({}, absl::Now() + absl::Seconds(30)));
  EXPECT_THAT(Addresses(*pool), ElementsAre("10.0.0.1:7420", "10.0.0.2:7420", "[fd00::1]:7420"));
}

TEST_F(NamedServers, ComeAndGo) {
  Set(std::vector<std::string>{"10.0.0.1"});
  const auto pool = Make();
  const Pool::Choice kept = pool->Choose({}, absl::Now() + absl::Seconds(30));
  ASSERT_TRUE(kept);
  Set(std::vector<std::string>{"10.0.0.3", "10.0.0.2"});
  EXPECT_TRUE(Await([&] { return Addresses(*pool).size() == 2; }));
  EXPECT_THAT(Addresses(*pool), ElementsAre("10.0.0.2:7420", "10.0.0.3:7420"));
  // Who was under way at one that has gone is not disturbed.
  EXPECT_EQ(kept.server().address(), "10.0.0.1:7420");
  pool->Report(kept, absl::OkStatus(), absl::Seconds(1));
}

TEST_F(NamedServers, StayWhenTheNameServerFails) {
  Set(std::vector<std::string>{"10.0.0.1"});
  const auto pool = Make();
  EXPECT_TRUE(pool->Choose({}, absl::Now() + absl::Seconds(30)));
  Set(absl::UnavailableError("no name server"));
  const int before = lookups();
  EXPECT_TRUE(Await([&] { return lookups() > before + 1; }));
  EXPECT_THAT(Addresses(*pool), ElementsAre("10.0.0.1:7420"));
}

TEST_F(NamedServers, AreFoundThoughOtherNamesAreNot) {
  options_.targets.push_back("dns:///gone.example:7420");
  Set(std::vector<std::string>{"10.0.0.1"});
  const auto pool = Make();
  EXPECT_TRUE(Await([&] { return Addresses(*pool).size() == 1; }));
  Set(std::vector<std::string>{"10.0.0.2"});
  EXPECT_TRUE(Await([&] { return Addresses(*pool)[0] == "10.0.0.2:7420"; }));
}

TEST_F(NamedServers, AreNotWaitedForBeyondTheDeadline) {
  Set(absl::UnavailableError("no name server"));
  const auto pool = Make();
  EXPECT_FALSE(pool->Choose({}, absl::Now() + absl::Milliseconds(20)));
  EXPECT_TRUE(Await([&] { return lookups() > 0; }));
  EXPECT_EQ(pool->NextUsable().from, absl::InfiniteFuture());
}

TEST_F(NamedServers, StandBesideFixedOnes) {
  options_.targets.push_back("unix:/tmp/parityd.sock");
  Set(std::vector<std::string>{"10.0.0.1"});
  const auto pool = Make();
  EXPECT_TRUE(Await([&] { return Addresses(*pool).size() == 2; }));
  EXPECT_THAT(Addresses(*pool), ElementsAre("unix:/tmp/parityd.sock", "10.0.0.1:7420"));
}

}  // namespace
}  // namespace parity::client
