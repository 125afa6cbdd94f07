// A client of two fake servers, and stripes to ask it for.
#ifndef PARITY_TESTS_POOL_CLIENT_FIXTURE_H_
#define PARITY_TESTS_POOL_CLIENT_FIXTURE_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parity/client/client.h"
#include "parity/client/fake_connection.h"

namespace parity::client {

class TwoServers : public ::testing::Test {
 protected:
  TwoServers() {
    options_.targets = {"127.0.0.1:1", "127.0.0.1:2"};
    options_.connect = FakeConnect({{"127.0.0.1:1", one_}, {"127.0.0.1:2", two_}});
    options_.policy = Policy::kRemoteOnly;
    options_.first_backoff = absl::Milliseconds(1);
    options_.longest_backoff = absl::Milliseconds(5);
    options_.log = [this](const std::string& line) {
      const std::lock_guard<std::mutex> lock(mutex_);
      log_.push_back(line);
    };
  }

  std::unique_ptr<Client> Make() {
    auto client = Client::Make(options_);
    EXPECT_TRUE(client.ok()) << client.status();
    return *std::move(client);
  }
  // One server, the first.
  std::unique_ptr<Client> MakeOfOne() {
    options_.targets.resize(1);
    return Make();
  }

  // Encodes, and expects the right parity if that succeeds.
  absl::Status Encode(Coder& client, size_t bytes = 1'000, const CallOptions& options = {}) {
    const std::vector<uint8_t> a(bytes, 0x0f), b(bytes, 0x55);
    std::vector<uint8_t> p(bytes);
    absl::Status status =
        client.Encode(xor_, {ShardBytes(a), ShardBytes(b)}, bytes, {p.data()}, options);
    EXPECT_TRUE(!status.ok() || p == std::vector<uint8_t>(bytes, 0x5a));
    return status;
  }
  // The same of a lost shard.
  absl::Status Reconstruct(Coder& client, const CallOptions& options = {}) {
    const std::vector<uint8_t> a(1'000, 0x0f), p(1'000, 0x5a);
    std::vector<uint8_t> b(1'000);
    absl::Status status = client.Reconstruct(xor_, {0, 2}, {ShardBytes(a), ShardBytes(p)}, 1'000,
                                             {1}, {b.data()}, options);
    EXPECT_TRUE(!status.ok() || b == std::vector<uint8_t>(1'000, 0x55));
    return status;
  }

  size_t Calls() const { return one_->calls().size() + two_->calls().size(); }
  std::vector<std::string> log() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return log_;
  }

  const codec::Geometry xor_ = *codec::Geometry::Make(codec::Code::kXor, 2, 1);
  const std::shared_ptr<FakeServer> one_ = std::make_shared<FakeServer>();
  const std::shared_ptr<FakeServer> two_ = std::make_shared<FakeServer>();
  ClientOptions options_;

 private:
  std::mutex mutex_;
  std::vector<std::string> log_;
};

}  // namespace parity::client

#endif  // PARITY_TESTS_POOL_CLIENT_FIXTURE_H_
