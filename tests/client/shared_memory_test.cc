// Client where memory is shared; tests/rpc has what it does over gRPC.
#include "parity/client/client.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parity/client/local_coder.h"
#include "parity/codec/field_error.h"
#include "real_server.h"
#include "remote_only.h"
#include "scripted_server.h"

namespace parity::client {
namespace {

using ::testing::HasSubstr;

constexpr size_t kPage = 4096;

class Notices {
 public:
  std::function<void(const std::string&)> Taker() {
    return [this](const std::string& text) {
      const std::lock_guard<std::mutex> lock(mutex_);
      texts_.push_back(text);
    };
  }
  std::vector<std::string> texts() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return texts_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> texts_;
};

std::unique_ptr<Client> Make(const ClientOptions& options) {
  auto coder = Client::Make(options);
  EXPECT_TRUE(coder.ok()) << coder.status();
  return *std::move(coder);
}

// Memory for one shard: the coder's or this process's own, at some address.
class ShardMemory {
 public:
  ShardMemory(Client& coder, size_t bytes, std::mt19937& random, int kind) {
    const size_t skip = kind == 1 ? 1 + random() % 100 : 0;
    if (kind <= 1) {
      buffer_ = *coder.Allocate(bytes + skip);
      data_ = buffer_.data() + skip;
    } else {
      own_.resize(bytes + 64);
      data_ = own_.data() + random() % 64;
    }
    for (size_t i = 0; i < bytes; ++i) data_[i] = static_cast<uint8_t>(random());
  }
  uint8_t* data() const { return data_; }

 private:
  Buffer buffer_;
  std::vector<uint8_t> own_;
  uint8_t* data_;
};

// One stripe of a random shape, put through every operation and compared with the local kernels.
class RandomStripe {
 public:
  RandomStripe(Client& coder, uint32_t seed, size_t most_bytes)
      : coder_(coder), random_(seed), geometry_(RandomGeometry()) {
    switch (random_() % 3) {
      case 0:
        bytes_ = 1 + random_() % 300;
        break;
      case 1:
        bytes_ = kPage * (1 + random_() % (most_bytes / kPage));
        break;
      default:
        bytes_ = 1 + random_() % most_bytes;
    }
    // All shared, all at odd places, all elsewhere, or mixed.
    const int kind = static_cast<int>(random_() % 4);
    for (uint32_t i = 0; i < geometry_.total_shards(); ++i) {
      shards_.emplace_back(coder, bytes_, random_,
                           kind == 3 ? static_cast<int>(random_() % 3) : kind);
    }
  }

  void Check() {
    const uint32_t k = geometry_.data_shards();
    const uint32_t m = geometry_.parity_shards();
    std::vector<ShardBytes> data;
    for (uint32_t i = 0; i < k; ++i) {
      const bool is_short = random_() % 6 == 0;
      data.emplace_back(shards_[i].data(), is_short ? random_() % bytes_ : bytes_);
    }
    std::vector<std::vector<uint8_t>> expected(m, std::vector<uint8_t>(bytes_));
    std::vector<uint8_t*> expected_to;
    for (auto& shard : expected) expected_to.push_back(shard.data());
    ASSERT_TRUE(local_->Encode(geometry_, data, bytes_, expected_to).ok());
    std::vector<uint8_t*> parity;
    for (uint32_t r = 0; r < m; ++r) parity.push_back(shards_[k + r].data());
    absl::Status status = coder_.Encode(geometry_, data, bytes_, parity);
    ASSERT_TRUE(status.ok()) << status;
    for (uint32_t r = 0; r < m; ++r) {
      ASSERT_EQ(std::memcmp(parity[r], expected[r].data(), bytes_), 0) << Text() << " parity " << r;
    }
    CheckVerify(data, parity);
    CheckReconstruct(data, parity);
    CheckUpdate(data, parity);
  }

 private:
  codec::Geometry RandomGeometry() {
    switch (random_() % 8) {
      case 0:
        return *codec::Geometry::Make(codec::Code::kXor, 1 + random_() % 8, 1);
      case 1:
        return *codec::Geometry::Make(codec::Code::kRaid6, 1 + random_() % 8, 2);
      case 2:
        return *codec::Geometry::Make(codec::Code::kReedSolomon, 1 + random_() % 40,
                                      1 + random_() % 20);
      default:
        return *codec::Geometry::Make(codec::Code::kReedSolomon, 1 + random_() % 6,
                                      1 + random_() % 4);
    }
  }

  std::string Text() const {
    return absl::StrCat(geometry_.data_shards(), "+", geometry_.parity_shards(), ", ", bytes_,
                        " bytes");
  }

  std::vector<ShardBytes> All(const std::vector<ShardBytes>& data,
                              const std::vector<uint8_t*>& parity) const {
    std::vector<ShardBytes> all = data;
    for (const uint8_t* shard : parity) all.emplace_back(shard, bytes_);
    return all;
  }

  void CheckVerify(const std::vector<ShardBytes>& data, const std::vector<uint8_t*>& parity) {
    const std::vector<ShardBytes> all = All(data, parity);
    auto report = coder_.Verify(geometry_, all, bytes_);
    ASSERT_TRUE(report.ok()) << report.status();
    ASSERT_TRUE(report->consistent()) << Text();
    std::vector<std::pair<uint8_t*, uint8_t>> damage;
    for (uint32_t i = 0; i < 1 + random_() % 3; ++i) {
      const uint32_t shard = random_() % geometry_.total_shards();
      if (all[shard].empty()) continue;
      uint8_t* const byte = shards_[shard].data() + random_() % all[shard].size();
      damage.emplace_back(byte, *byte);
      *byte = static_cast<uint8_t>(random_());
    }
    const auto expected = local_->Verify(geometry_, all, bytes_);
    report = coder_.Verify(geometry_, all, bytes_);
    ASSERT_TRUE(report.ok()) << report.status();
    ASSERT_EQ(report->mismatches.size(), expected->mismatches.size()) << Text();
    for (size_t i = 0; i < expected->mismatches.size(); ++i) {
      ASSERT_EQ(report->mismatches[i].shard, expected->mismatches[i].shard) << Text();
      ASSERT_EQ(report->mismatches[i].offset, expected->mismatches[i].offset) << Text();
    }
    ASSERT_EQ(report->suspect, expected->suspect) << Text();
    std::reverse(damage.begin(), damage.end());
    for (const auto& [byte, value] : damage) *byte = value;
  }

  void CheckReconstruct(const std::vector<ShardBytes>& data, const std::vector<uint8_t*>& parity) {
    const std::vector<ShardBytes> all = All(data, parity);
    std::vector<uint32_t> order(all.size());
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), random_);
    const uint32_t lost = 1 + random_() % geometry_.parity_shards();
    std::vector<uint32_t> wanted(order.begin(), order.begin() + lost);
    std::vector<uint32_t> present(order.begin() + lost, order.end());
    std::vector<ShardBytes> there;
    for (const uint32_t shard : present) there.push_back(all[shard]);
    std::vector<ShardMemory> out;
    std::vector<uint8_t*> to;
    out.reserve(lost);
    for (uint32_t i = 0; i < lost; ++i) {
      out.emplace_back(coder_, bytes_, random_, static_cast<int>(random_() % 3));
      to.push_back(out.back().data());
    }
    const absl::Status status = coder_.Reconstruct(geometry_, present, there, bytes_, wanted, to);
    ASSERT_TRUE(status.ok()) << status << Text();
    for (uint32_t i = 0; i < lost; ++i) {
      const ShardBytes expected = all[wanted[i]];
      ASSERT_EQ(std::memcmp(to[i], expected.data(), expected.size()), 0) << Text();
      ASSERT_EQ(std::count(to[i] + expected.size(), to[i] + bytes_, 0),
                static_cast<ptrdiff_t>(bytes_ - expected.size()));
    }
  }

  void CheckUpdate(const std::vector<ShardBytes>& data, const std::vector<uint8_t*>& parity) {
    std::vector<uint32_t> changed;
    std::vector<ShardBytes> before;
    std::vector<ShardBytes> after;
    std::vector<ShardBytes> all = data;
    std::vector<ShardMemory> contents;
    contents.reserve(data.size());
    for (uint32_t i = 0; i < data.size(); ++i) {
      if (i > 0 && random_() % 2 == 0) continue;
      changed.push_back(i);
      contents.emplace_back(coder_, bytes_, random_, static_cast<int>(random_() % 3));
      before.push_back(data[i]);
      after.emplace_back(contents.back().data(), bytes_);
      all[i] = after.back();
    }
    const absl::Status status = coder_.Update(geometry_, changed, before, after, bytes_, parity);
    ASSERT_TRUE(status.ok()) << status << Text();
    const auto report = local_->Verify(geometry_, All(all, parity), bytes_);
    ASSERT_TRUE(report->consistent()) << Text();
  }

  Client& coder_;
  std::mt19937 random_;
  const codec::Geometry geometry_;
  size_t bytes_;
  std::vector<ShardMemory> shards_;
  const std::unique_ptr<Coder> local_ = *MakeLocalCoder("auto");
};

class OnRegionOf : public ::testing::TestWithParam<uint64_t> {};

TEST_P(OnRegionOf, EveryOperationGivesWhatTheLocalKernelsGive) {
  const RealServer server;
  Notices notices;
  ClientOptions options = RemoteOnly(server.target());
  options.connection.region_bytes = GetParam();
  options.connection.notice = notices.Taker();
  const auto coder = Make(options);
  for (uint32_t seed = 1; seed <= 150; ++seed) {
    RandomStripe(*coder, seed, seed % 10 == 0 ? size_t{3} << 20 : 100'000).Check();
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(server.records(), 100u);
  EXPECT_TRUE(notices.texts().empty()) << notices.texts()[0];
}
INSTANTIATE_TEST_SUITE_P(Sizes, OnRegionOf,
                         ::testing::Values(uint64_t{64} << 20, uint64_t{1} << 20, uint64_t{200'000},
                                           uint64_t{4096}));

TEST(SharedMemory, ManyThreadsShareARing) {
  const RealServer server;
  ClientOptions options = RemoteOnly(server.target());
  options.connection.region_bytes = uint64_t{16} << 20;
  const auto coder = Make(options);
  std::vector<std::thread> threads;
  for (uint32_t id = 1; id <= 8; ++id) {
    threads.emplace_back([&coder, id] {
      for (uint32_t i = 0; i < 60 && !::testing::Test::HasFatalFailure(); ++i) {
        RandomStripe(*coder, id * 1'000 + i, i % 10 == 0 ? size_t{1} << 20 : 50'000).Check();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(server.regions(), 1u);
}

TEST(SharedMemory, AStripeMayBeLongerThanAnyMessage) {
  const RealServer server;
  ClientOptions options = RemoteOnly(server.target());
  const auto coder = Make(options);
  const codec::Geometry geometry = *codec::Geometry::Make(codec::Code::kXor, 2, 1);
  const size_t bytes = 50 << 20;
  std::vector<uint8_t> a(bytes, 0x0f), b(bytes, 0x55), p(bytes);
  const std::vector<ShardBytes> data = {a, b};
  const absl::Status status = coder->Encode(geometry, data, bytes, {p.data()});
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(std::count(p.begin(), p.end(), 0x5a), static_cast<ptrdiff_t>(bytes));
}

TEST(SharedMemory, BuffersAreAtPagesAndOutliveTheirCoderAndServer) {
  auto server = std::make_unique<RealServer>();
  ClientOptions options = RemoteOnly(server->target());
  options.connection.region_bytes = 1 << 20;
  auto coder = Make(options);
  std::vector<Buffer> buffers;
  size_t shared = 0;
  for (int i = 0; i < 20; ++i) {
    auto buffer = coder->Allocate(100'000);
    ASSERT_TRUE(buffer.ok()) << buffer.status();
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % kPage, 0u);
    EXPECT_EQ(buffer->size(), 100'000u);
    shared += buffer->is_shared() ? 1 : 0;
    std::memset(buffer->data(), i, buffer->size());
    buffers.push_back(*std::move(buffer));
  }
  EXPECT_GE(shared, 5u);
  EXPECT_LT(shared, 11u);
  buffers.erase(buffers.begin());
  EXPECT_TRUE(coder->Allocate(100'000)->is_shared());  // what is freed is given out again
  coder.reset();
  server.reset();
  for (size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_EQ(std::count(buffers[i].data(), buffers[i].data() + 100'000, i + 1), 100'000);
    std::memset(buffers[i].data(), 1, 100'000);
  }
}

// One call, XOR of two shards.
absl::Status CallOnce(Coder& coder) {
  const std::vector<uint8_t> a(1'000, 0x0f), b(1'000, 0x55);
  std::vector<uint8_t> p(1'000);
  const std::vector<ShardBytes> data = {a, b};
  absl::Status status =
      coder.Encode(*codec::Geometry::Make(codec::Code::kXor, 2, 1), data, 1'000, {p.data()});
  if (status.ok()) {
    EXPECT_EQ(std::count(p.begin(), p.end(), 0x5a), 1'000);
  }
  return status;
}

TEST(SharedMemory, NoticeIsGivenOnceIfTheServerHasNone) {
  const RealServer server({true, false});
  Notices notices;
  ClientOptions options = RemoteOnly(server.target());
  options.connection.notice = notices.Taker();
  const auto coder = Make(options);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(CallOnce(*coder).ok());
  EXPECT_FALSE(coder->Allocate(100)->is_shared());
  ASSERT_EQ(notices.texts().size(), 1u);
  EXPECT_THAT(notices.texts()[0], HasSubstr(".shm"));
}

TEST(SharedMemory, NoticeSaysWhyItWasRefusedAndItIsAskedForOnceASecond) {
  const RealServer real({true, false});
  const ScriptedServer server(real.path(), [](ScriptedSession& session) {
    session.AwaitHello();
    session.Refuse(absl::StatusCode::kResourceExhausted, "all regions are taken");
  });
  Notices notices;
  ClientOptions options = RemoteOnly(server.target());
  options.connection.notice = notices.Taker();
  const auto coder = Make(options);
  const absl::Time start = absl::Now();
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(CallOnce(*coder).ok());
  // For all of the region, and at once for less.
  EXPECT_LE(server.connections(),
            2 * (1 + static_cast<int>((absl::Now() - start) / absl::Seconds(1))));
  ASSERT_EQ(notices.texts().size(), 1u);
  EXPECT_THAT(notices.texts()[0], HasSubstr("all regions are taken"));
}

TEST(SharedMemory, NoNoticeIsGivenIfThereIsNoServerOrNoneIsWanted) {
  Notices notices;
  ClientOptions options = RemoteOnly("unix:/nowhere/parityd.sock");
  options.connection.notice = notices.Taker();
  EXPECT_TRUE(absl::IsUnavailable(CallOnce(*Make(options))));
  const RealServer server;
  options.targets = {server.target()};
  options.connection.region_bytes = 0;
  EXPECT_TRUE(CallOnce(*Make(options)).ok());
  EXPECT_FALSE(Make(options)->Allocate(1)->is_shared());
  EXPECT_EQ(server.records(), 0u);
  EXPECT_TRUE(notices.texts().empty());
}

TEST(SharedMemory, ErrorsAreThoseOfTheLocalKernels) {
  const RealServer server;
  ClientOptions options = RemoteOnly(server.target());
  const auto remote = Make(options);
  const auto local = *MakeLocalCoder("auto");
  const codec::Geometry geometry = *codec::Geometry::Make(codec::Code::kReedSolomon, 3, 2);
  std::vector<std::vector<uint8_t>> memory(8, std::vector<uint8_t>(100));
  const std::vector<ShardBytes> all(memory.begin(), memory.end());
  const auto shards = absl::MakeConstSpan(all);
  const std::vector<uint8_t*> out = {memory[6].data(), memory[7].data()};
  const auto reconstruct = [&](Coder& coder, const std::vector<uint32_t>& present,
                               const std::vector<uint32_t>& wanted) {
    return coder.Reconstruct(geometry, present, shards.first(present.size()), 100, wanted,
                             absl::MakeConstSpan(out).first(wanted.size()));
  };
  const std::vector<std::pair<std::vector<uint32_t>, std::vector<uint32_t>>> bad = {
      {{0, 1}, {2}},    {{0, 1, 1}, {2}}, {{0, 1, 5}, {2}},
      {{0, 1, 2}, {1}}, {{0, 1, 2}, {5}}, {{0, 1, 2}, {3, 3}}};
  for (const auto& [present, wanted] : bad) {
    const absl::Status expected = reconstruct(*local, present, wanted);
    const absl::Status got = reconstruct(*remote, present, wanted);
    EXPECT_FALSE(expected.ok());
    EXPECT_EQ(got, expected);
    EXPECT_EQ(codec::FieldOf(got), codec::FieldOf(expected));
  }
  const std::vector<uint32_t> changed = {3};
  EXPECT_EQ(remote->Update(geometry, changed, shards.first(1), shards.subspan(1, 1), 100, out),
            local->Update(geometry, changed, shards.first(1), shards.subspan(1, 1), 100, out));
  EXPECT_TRUE(CallOnce(*remote).ok());
}

TEST(SharedMemory, IsUsedAgainAfterARestart) {
  RealServer server;
  Notices notices;
  ClientOptions options = RemoteOnly(server.target());
  options.connection.notice = notices.Taker();
  const auto coder = Make(options);
  EXPECT_TRUE(CallOnce(*coder).ok());
  const Buffer before = *coder->Allocate(8 * kPage);
  EXPECT_TRUE(before.is_shared());
  server.StopRings();
  server.StartRings();
  EXPECT_TRUE(CallOnce(*coder).ok());
  EXPECT_GE(server.records(), 1u);
  // Memory of the old region is ordinary memory now.
  const codec::Geometry geometry = *codec::Geometry::Make(codec::Code::kXor, 2, 1);
  std::memset(before.data(), 0x0f, kPage);
  std::memset(before.data() + kPage, 0x55, kPage);
  const std::vector<ShardBytes> data = {{before.data(), kPage}, {before.data() + kPage, kPage}};
  ASSERT_TRUE(coder->Encode(geometry, data, kPage, {before.data() + 2 * kPage}).ok());
  EXPECT_EQ(before.data()[3 * kPage - 1], 0x5a);
  EXPECT_TRUE(notices.texts().empty());

  server.StopRings();
  EXPECT_TRUE(CallOnce(*coder).ok());  // inline
  server.StartRings();
  absl::SleepFor(absl::Milliseconds(1'100));
  EXPECT_TRUE(CallOnce(*coder).ok());
  EXPECT_GE(server.records(), 1u);
  EXPECT_EQ(notices.texts().size(), 1u);
}

TEST(SharedMemory, AllocateNoticesARestart) {
  RealServer server;
  ClientOptions options = RemoteOnly(server.target());
  const auto coder = Make(options);
  EXPECT_TRUE(coder->Allocate(1)->is_shared());
  server.StopRings();
  server.StartRings();
  const Buffer buffer = *coder->Allocate(1);
  EXPECT_TRUE(buffer.is_shared());
  EXPECT_EQ(server.regions(), 1u);
}

// A ring that is lost in the middle of a stripe of several slices: what is left of it goes over the
// next ring, or inline.
TEST(SharedMemory, StripesAreFinishedWhenTheRingIsLost) {
  const RealServer real({true, false});
  for (uint32_t seed = 1; seed <= 80; ++seed) {
    std::mt19937 random(seed);
    const int most = static_cast<int>(random() % 25);
    const bool compute = random() % 2 == 0;
    const bool refuse = random() % 2 == 0;
    std::atomic<int> sessions{0};
    const ScriptedServer server(real.path(), [&](ScriptedSession& session) {
      const bool is_first = ++sessions == 1;
      if (!is_first && refuse) {
        session.Refuse(absl::StatusCode::kUnavailable, "not now");
        return;
      }
      if (!session.ShakeHands()) return;
      while (const auto record = session.Next()) {
        if (is_first && session.records() > most) {
          // Nobody is told, but it may have been computed.
          if (compute) session.Compute(*record);
          return;
        }
        session.Serve(*record);
      }
    });
    Notices notices;
    ClientOptions options = RemoteOnly(server.target());
    options.connection.region_bytes = 1 << 20;
    options.connection.notice = notices.Taker();
    RandomStripe(*Make(options), seed, 400'000).Check();
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST(SharedMemory, ACallThatLosesTwoRingsFailsAndSaysWhere) {
  const ScriptedServer server([](ScriptedSession& session) {
    if (session.ShakeHands()) session.Next();
  });
  const auto connection = MakeConnection("target", server.target(), {});
  const absl::Status status = CallOnce(**connection);
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(server.target()));
  EXPECT_EQ(server.connections(), 2);
}

TEST(SharedMemory, ACallReturnsAtItsDeadlineAndItsOutputsAreItsOwn) {
  std::promise<void> written;
  ScriptedServer server([&](ScriptedSession& session) {
    if (!session.ShakeHands()) return;
    session.Serve(*session.Next());
    const auto record = session.Next();
    if (!record.has_value()) return;
    session.AwaitGate();
    EXPECT_EQ(session.Compute(*record), shm::Outcome::kDone);
    written.set_value();
  });
  ClientOptions options = RemoteOnly(server.target());
  options.deadline = absl::Seconds(2);
  const auto coder = Make(options);
  const size_t bytes = 4 * kPage;
  const Buffer buffer = *coder->Allocate(3 * bytes);
  ASSERT_TRUE(buffer.is_shared());
  uint8_t* const memory = buffer.data();
  std::memset(memory, 1, 2 * bytes);
  const std::vector<ShardBytes> data = {{memory, bytes}, {memory + bytes, bytes}};
  uint8_t* const output = memory + 2 * bytes;
  const absl::Time start = absl::Now();
  const absl::Status status =
      coder->Encode(*codec::Geometry::Make(codec::Code::kReedSolomon, 2, 1), data, bytes, {output});
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  EXPECT_LT(absl::Now() - start, absl::Seconds(4));
  std::memset(output, 9, bytes);
  server.OpenGate();
  ASSERT_EQ(written.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
  EXPECT_EQ(std::count(output, output + bytes, 9), static_cast<ptrdiff_t>(bytes));
  EXPECT_EQ(std::count(memory, output, 1), static_cast<ptrdiff_t>(2 * bytes));
}

// What a server says of a stripe is not taken on trust.
TEST(SharedMemory, AReportThatCannotBeIsAnError) {
  const std::vector<shm::VerifyReport::Mismatch> bad = {
      {0, 1, 0}, {0, 3, 0}, {1, 2, 0}, {0, 2, 100}, {0, UINT32_MAX, UINT64_MAX}};
  for (const auto& mismatch : bad) {
    const ScriptedServer server([&mismatch](ScriptedSession& session) {
      if (!session.ShakeHands()) return;
      while (const auto record = session.Next()) {
        const auto header = shm::RecordHeader::Read(*record);
        if (header.kind == shm::RecordKind::kRun) {
          uint8_t* const to = session.region().Find((*record)[shm::RecordHeader::kWords + 3], 40);
          const shm::VerifyReport report{1, 0, shm::VerifyReport::kNoSuspect, 0};
          std::memcpy(to, &report, sizeof report);
          std::memcpy(to + sizeof report, &mismatch, sizeof mismatch);
        }
        session.Answer(header.id, header.kind == shm::RecordKind::kRun ? shm::Outcome::kInconsistent
                                                                       : shm::Outcome::kDone);
      }
    });
    ClientOptions options = RemoteOnly(server.target());
    const std::vector<uint8_t> memory(100);
    const std::vector<ShardBytes> shards(3, memory);
    const auto report =
        Make(options)->Verify(*codec::Geometry::Make(codec::Code::kXor, 2, 1), shards, 100);
    EXPECT_TRUE(absl::IsInternal(report.status())) << report.status();
  }
}

}  // namespace
}  // namespace parity::client
