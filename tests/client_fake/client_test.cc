// A Client whose servers are fakes, as a program's own tests would have it.
#include "parity/client/client.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "parity/client/fake_connection.h"

namespace parity::client {
namespace {

class ClientOfFakes : public testing::Test {
 protected:
  ClientOfFakes() {
    options_.targets = {"127.0.0.1:1", "127.0.0.1:2"};
    options_.connect = FakeConnect({{"127.0.0.1:1", one_}, {"127.0.0.1:2", two_}});
    options_.log = [](const std::string&) {};
  }
  absl::Status Encode(Client& client) {
    parity_ = {};
    parity_.resize(4);
    return client.Encode(geometry_, {a_, b_}, 4, {parity_.data()});
  }
  size_t Calls() const { return one_->calls().size() + two_->calls().size(); }

  const codec::Geometry geometry_ = *codec::Geometry::Make(codec::Code::kXor, 2, 1);
  const std::vector<uint8_t> a_{1, 2, 3, 4};
  const std::vector<uint8_t> b_{16, 32, 48, 64};
  const std::vector<uint8_t> a_xor_b_{17, 34, 51, 68};
  std::vector<uint8_t> parity_;
  const std::shared_ptr<FakeServer> one_ = std::make_shared<FakeServer>();
  const std::shared_ptr<FakeServer> two_ = std::make_shared<FakeServer>();
  ClientOptions options_;
};

TEST_F(ClientOfFakes, CallGoesToAServer) {
  const auto client = Client::Make(options_);
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_EQ(Encode(**client), absl::OkStatus());
  EXPECT_EQ(parity_, a_xor_b_);
  EXPECT_EQ(Calls(), 1u);
}

TEST_F(ClientOfFakes, DeathOfEveryServerEndsInLocalKernels) {
  const auto client = Client::Make(options_);
  ASSERT_TRUE(client.ok()) << client.status();
  one_->Next(FakeOutcome::Dies());
  two_->Next(FakeOutcome::Dies());
  EXPECT_EQ(Encode(**client), absl::OkStatus());
  EXPECT_EQ(parity_, a_xor_b_);
  EXPECT_EQ(Calls(), 2u);
  EXPECT_EQ((*client)->GetStats().fallback_slices, 1u);
}

TEST_F(ClientOfFakes, DeathOfEveryServerIsUnavailableToRemoteOnly) {
  options_.policy = Policy::kRemoteOnly;
  const auto client = Client::Make(options_);
  ASSERT_TRUE(client.ok()) << client.status();
  one_->Die();
  two_->Die();
  EXPECT_TRUE(absl::IsUnavailable(Encode(**client)));
  EXPECT_EQ(Calls(), 0u);
  EXPECT_GE(one_->refused_calls() + two_->refused_calls(), 2);
}

TEST_F(ClientOfFakes, ConnectionsEndWithTheClient) {
  {
    const auto client = Client::Make(options_);
    ASSERT_TRUE(client.ok()) << client.status();
    EXPECT_EQ(Encode(**client), absl::OkStatus());
    EXPECT_EQ(one_->connections() + two_->connections(), 2);
  }
  EXPECT_EQ(one_->connections() + two_->connections(), 0);
}

}  // namespace
}  // namespace parity::client
