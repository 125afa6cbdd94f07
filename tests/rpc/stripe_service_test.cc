// Stripes through a real server, over each transport, as the client library and as plain protobuf.
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "bare_peers.h"
#include "client/remote_only.h"
#include "gmock/gmock.h"
#include "grpcpp/server_builder.h"
#include "gtest/gtest.h"
#include "parity/client/local_coder.h"
#include "parity/codec/field_error.h"
#include "parity/v1/parity.grpc.pb.h"
#include "parity/wire/limits.h"
#include "parity/wire/stripe_message.h"
#include "server_fixture.h"

namespace parity::testing {
namespace {

using client::ShardBytes;
using codec::Code;
using codec::Geometry;
using codec::Matrix;

// The shards of a stripe with their parity, computed in this process.
struct Stripe {
  Geometry geometry;
  size_t shard_bytes;
  std::vector<std::vector<uint8_t>> shards;  // k + m

  std::vector<ShardBytes> Views(uint32_t first, uint32_t count) const {
    return {shards.begin() + first, shards.begin() + first + count};
  }
};

Stripe MakeStripe(const Geometry& geometry, size_t shard_bytes) {
  Stripe stripe{geometry, shard_bytes, {}};
  for (uint32_t i = 0; i < geometry.total_shards(); ++i) {
    stripe.shards.push_back(RandomBytes(shard_bytes, 100 + i));
  }
  std::vector<uint8_t*> parity;
  for (uint32_t i = geometry.data_shards(); i < geometry.total_shards(); ++i) {
    parity.push_back(stripe.shards[i].data());
  }
  auto local = client::MakeLocalCoder("scalar");
  EXPECT_TRUE(local.ok());
  EXPECT_TRUE((*local)
                  ->Encode(geometry, stripe.Views(0, geometry.data_shards()), shard_bytes, parity)
                  .ok());
  return stripe;
}

class OverTransport : public ::testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<client::Client> Connect() {
    client::ClientOptions options =
        client::RemoteOnly(GetParam() ? server_.unix_socket() : server_.tcp());
    return *client::Client::Make(options);
  }

  RunningServer server_;
};

std::vector<Geometry> Geometries() {
  return {*Geometry::Make(Code::kXor, 3, 1),
          *Geometry::Make(Code::kRaid6, 5, 2),
          *Geometry::Make(Code::kReedSolomon, 4, 2),
          *Geometry::Make(Code::kReedSolomon, 10, 4),
          *Geometry::Make(Code::kReedSolomon, 1, 1),
          *Geometry::Make(Code::kReedSolomon, 200, 56),
          *Geometry::Make(Code::kReedSolomon, 5, 3, Matrix::kVandermonde),
          *Geometry::Make(Code::kReedSolomon, 5, 3, Matrix::kSystematicVandermonde),
          *Geometry::MakeCustom(3, 2, {1, 1, 0, 0, 5, 6})};
}

TEST_P(OverTransport, EncodeGivesTheParityOfTheLocalKernels) {
  auto coder = Connect();
  for (const Geometry& geometry : Geometries()) {
    for (size_t bytes : {size_t{1}, size_t{63}, size_t{4097}, size_t{100'000}}) {
      const Stripe stripe = MakeStripe(geometry, bytes);
      std::vector<std::vector<uint8_t>> got(geometry.parity_shards(), std::vector<uint8_t>(bytes));
      std::vector<uint8_t*> out;
      for (auto& shard : got) out.push_back(shard.data());
      const absl::Status status =
          coder->Encode(geometry, stripe.Views(0, geometry.data_shards()), bytes, out);
      ASSERT_TRUE(status.ok()) << status;
      for (uint32_t r = 0; r < geometry.parity_shards(); ++r) {
        ASSERT_EQ(got[r], stripe.shards[geometry.data_shards() + r]) << "parity " << r;
      }
    }
  }
}

TEST_P(OverTransport, PackedShardsGiveTheSameParity) {
  auto coder = Connect();
  const Stripe stripe = MakeStripe(*Geometry::Make(Code::kReedSolomon, 4, 2), 300'000);
  std::vector<uint8_t> packed;
  for (uint32_t i = 0; i < 4; ++i) {
    packed.insert(packed.end(), stripe.shards[i].begin(), stripe.shards[i].end());
  }
  std::vector<ShardBytes> data;
  for (size_t i = 0; i < 4; ++i) data.emplace_back(packed.data() + i * 300'000, 300'000);
  std::vector<std::vector<uint8_t>> got(2, std::vector<uint8_t>(300'000));
  ASSERT_TRUE(coder->Encode(stripe.geometry, data, 300'000, {got[0].data(), got[1].data()}).ok());
  EXPECT_EQ(got[0], stripe.shards[4]);
  EXPECT_EQ(got[1], stripe.shards[5]);
}

TEST_P(OverTransport, ShorterShardsCountAsFollowedByZeros) {
  auto coder = Connect();
  const Geometry geometry = *Geometry::Make(Code::kReedSolomon, 3, 2);
  std::vector<std::vector<uint8_t>> data = {RandomBytes(1000, 1), RandomBytes(1000, 2),
                                            std::vector<uint8_t>(1000)};
  std::fill(data[1].begin() + 300, data[1].end(), 0);
  std::vector<std::vector<uint8_t>> full(2, std::vector<uint8_t>(1000));
  std::vector<std::vector<uint8_t>> cut = full;
  ASSERT_TRUE(coder
                  ->Encode(geometry, std::vector<ShardBytes>(data.begin(), data.end()), 1000,
                           {full[0].data(), full[1].data()})
                  .ok());
  const std::vector<ShardBytes> shorter = {data[0], ShardBytes(data[1].data(), 300), {}};
  ASSERT_TRUE(coder->Encode(geometry, shorter, 1000, {cut[0].data(), cut[1].data()}).ok());
  EXPECT_EQ(full, cut);
}

TEST_P(OverTransport, ReconstructRestoresAnyLostShards) {
  auto coder = Connect();
  const Stripe stripe = MakeStripe(*Geometry::Make(Code::kReedSolomon, 4, 3), 5000);
  for (const std::vector<uint32_t>& lost :
       {std::vector<uint32_t>{0}, {6}, {1, 2, 3}, {0, 4, 6}, {4, 5, 6}}) {
    std::vector<uint32_t> present;
    std::vector<ShardBytes> shards;
    for (uint32_t i = 7; i-- > 0;) {  // in an order of the caller's
      if (std::count(lost.begin(), lost.end(), i) > 0) continue;
      present.push_back(i);
      shards.emplace_back(stripe.shards[i]);
    }
    std::vector<std::vector<uint8_t>> got(lost.size(), std::vector<uint8_t>(5000));
    std::vector<uint8_t*> out;
    for (auto& shard : got) out.push_back(shard.data());
    const absl::Status status =
        coder->Reconstruct(stripe.geometry, present, shards, 5000, lost, out);
    ASSERT_TRUE(status.ok()) << status;
    for (size_t i = 0; i < lost.size(); ++i) EXPECT_EQ(got[i], stripe.shards[lost[i]]);
  }
}

TEST_P(OverTransport, ReconstructAnswersByACustomMatrix) {
  auto coder = Connect();
  const Stripe stripe = MakeStripe(*Geometry::MakeCustom(4, 2, {1, 1, 0, 0, 0, 0, 3, 7}), 5000);
  std::vector<uint8_t> got(5000);
  absl::Status status = coder->Reconstruct(
      stripe.geometry, {1, 4}, {stripe.shards[1], stripe.shards[4]}, 5000, {0}, {got.data()});
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(got, stripe.shards[0]);
  status = coder->Reconstruct(stripe.geometry, {1, 4}, {stripe.shards[1], stripe.shards[4]}, 5000,
                              {2}, {got.data()});
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_EQ(codec::FieldOf(status), "present");
  EXPECT_EQ(status.message(),
            "present: got 2 of 6 shards, which do not determine 2, want shards that do");
}

TEST_P(OverTransport, UpdateBringsParityUpToDate) {
  auto coder = Connect();
  const Stripe before = MakeStripe(*Geometry::Make(Code::kReedSolomon, 6, 3), 70'000);
  for (const std::vector<uint32_t>& changed : {std::vector<uint32_t>{2}, {5, 0, 3}}) {
    Stripe after = before;
    std::vector<ShardBytes> old_shards, new_shards;
    for (const uint32_t i : changed) after.shards[i] = RandomBytes(70'000, 900 + i);
    for (const uint32_t i : changed) {
      old_shards.emplace_back(before.shards[i]);
      new_shards.emplace_back(after.shards[i]);
    }
    const std::vector<uint8_t*> parity = {after.shards[6].data(), after.shards[7].data(),
                                          after.shards[8].data()};
    const absl::Status status =
        coder->Update(before.geometry, changed, old_shards, new_shards, 70'000, parity);
    ASSERT_TRUE(status.ok()) << status;
    const auto report = coder->Verify(after.geometry, after.Views(0, 9), 70'000);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_TRUE(report->consistent());
  }
  EXPECT_TRUE(coder->Update(before.geometry, {}, {}, {}, 70'000, {nullptr, nullptr, nullptr}).ok());
  std::vector<uint8_t> p(10);
  const absl::Status status =
      coder->Update(before.geometry, {1}, {}, {}, 10, {p.data(), p.data(), p.data()});
  EXPECT_EQ(codec::FieldOf(status), "old_shards") << status;
}

TEST_P(OverTransport, VerifyNamesShardAndOffset) {
  auto coder = Connect();
  Stripe stripe = MakeStripe(*Geometry::Make(Code::kReedSolomon, 6, 3), 200'000);
  auto report = coder->Verify(stripe.geometry, stripe.Views(0, 9), stripe.shard_bytes);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->consistent());

  for (uint32_t damaged : {0u, 5u, 7u}) {
    stripe.shards[damaged][123'457] ^= 0x10;
    report = coder->Verify(stripe.geometry, stripe.Views(0, 9), stripe.shard_bytes);
    ASSERT_TRUE(report.ok()) << report.status();
    ASSERT_FALSE(report->consistent());
    EXPECT_EQ(report->first_offset(), 123'457u);
    EXPECT_EQ(report->suspect, damaged);
    stripe.shards[damaged][123'457] ^= 0x10;
  }
}

TEST_P(OverTransport, ManyThreadsShareOneCoder) {
  auto coder = Connect();
  const Stripe stripe = MakeStripe(*Geometry::Make(Code::kReedSolomon, 4, 2), 20'000);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      std::vector<std::vector<uint8_t>> got(2, std::vector<uint8_t>(20'000));
      for (int i = 0; i < 50; ++i) {
        const absl::Status status = coder->Encode(stripe.geometry, stripe.Views(0, 4), 20'000,
                                                  {got[0].data(), got[1].data()});
        if (!status.ok() || got[0] != stripe.shards[4] || got[1] != stripe.shards[5]) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_P(OverTransport, ServerInfoDescribesTheServer) {
  auto info = Connect()->GetServerInfo();
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->version, "0.1.0");
  EXPECT_FALSE(info->revision.empty());
  EXPECT_EQ(info->usable_kernels, std::vector<std::string>{info->kernels});
  EXPECT_FALSE(info->workers.empty());
  ASSERT_FALSE(info->nodes.empty());
  EXPECT_GT(info->nodes[0].memory_bytes, 0u);
  EXPECT_EQ(info->max_message_bytes, wire::kMaxMessageBytes);
  EXPECT_EQ(info->max_shards, 257u);
  EXPECT_THAT(info->addresses, ::testing::ElementsAre(server_.tcp(), server_.unix_socket()));
}

INSTANTIATE_TEST_SUITE_P(Transports, OverTransport, ::testing::Bool(),
                         [](const auto& transport) { return transport.param ? "Unix" : "Tcp"; });

// The stock protobuf client, as other languages have it.
TEST(StripeService, AnswersInTheFormOfTheRequest) {
  RunningServer server;
  const auto stub = v1::ParityService::NewStub(server.Connect());
  const Stripe stripe = MakeStripe(*Geometry::Make(Code::kReedSolomon, 2, 2), 1000);

  v1::EncodeRequest repeated;
  *repeated.mutable_geometry() = wire::ToProto(stripe.geometry);
  std::string both;
  for (int i : {0, 1}) {
    const std::string shard(stripe.shards[i].begin(), stripe.shards[i].end());
    repeated.add_shards(shard);
    both += shard;
  }
  v1::EncodeRequest packed;
  *packed.mutable_geometry() = wire::ToProto(stripe.geometry);
  packed.set_shard_bytes(1000);
  packed.set_packed_shards(both);

  v1::EncodeResponse response;
  grpc::ClientContext first;
  ASSERT_TRUE(stub->Encode(&first, repeated, &response).ok());
  ASSERT_EQ(response.shards_size(), 2);
  EXPECT_EQ(response.shard_bytes(), 1000u);
  EXPECT_EQ(response.shards(1), std::string(stripe.shards[3].begin(), stripe.shards[3].end()));
  const std::string parity = response.shards(0) + response.shards(1);
  grpc::ClientContext second;
  ASSERT_TRUE(stub->Encode(&second, packed, &response).ok());
  EXPECT_EQ(response.shards_size(), 0);
  EXPECT_EQ(response.packed_shards(), parity);
}

TEST(StripeService, ReconstructWithoutWantedGivesEveryMissingShard) {
  RunningServer server;
  const auto stub = v1::ParityService::NewStub(server.Connect());
  const Stripe stripe = MakeStripe(*Geometry::Make(Code::kReedSolomon, 3, 2), 100);
  v1::ReconstructRequest request;
  *request.mutable_geometry() = wire::ToProto(stripe.geometry);
  for (uint32_t index : {4u, 0u, 2u}) {
    request.add_present(index);
    request.add_shards(stripe.shards[index].data(), 100);
  }
  v1::ReconstructResponse response;
  grpc::ClientContext context;
  ASSERT_TRUE(stub->Reconstruct(&context, request, &response).ok());
  EXPECT_THAT(response.indices(), ::testing::ElementsAre(1, 3));
  ASSERT_EQ(response.shards_size(), 2);
  EXPECT_EQ(response.shards(0), std::string(stripe.shards[1].begin(), stripe.shards[1].end()));
  EXPECT_EQ(response.shards(1), std::string(stripe.shards[3].begin(), stripe.shards[3].end()));
}

TEST(RemoteClient, ReportsAnUnreachableServerAtOnce) {
  auto coder = client::Client::Make(client::RemoteOnly("unix:/nonexistent/parityd.sock"));
  ASSERT_TRUE(coder.ok());
  const auto info = (*coder)->GetServerInfo();
  EXPECT_TRUE(absl::IsUnavailable(info.status())) << info.status();
  EXPECT_THAT(std::string(info.status().message()),
              ::testing::HasSubstr("unix:/nonexistent/parityd.sock"));
}

TEST(RemoteClient, FailsWhileTheServerIsGoneAndServesWhenItIsBack) {
  char name[] = "/tmp/parity-rpc-test.XXXXXX";
  const std::string directory = mkdtemp(name);
  auto server = std::make_unique<RunningServer>(directory);
  auto coder = client::Client::Make(client::RemoteOnly(server->unix_socket()));
  ASSERT_TRUE((*coder)->GetServerInfo().ok());
  server = nullptr;
  EXPECT_TRUE(absl::IsUnavailable((*coder)->GetServerInfo().status()));
  server = std::make_unique<RunningServer>(directory);
  EXPECT_TRUE((*coder)->GetServerInfo().ok());
  server = nullptr;
  std::filesystem::remove_all(directory);
}

TEST(RemoteClient, ReturnsAfterTheDeadlineFromAServerThatDoesNotRead) {
  const BareServer server;
  client::ClientOptions options = client::RemoteOnly(server.address());
  options.deadline = absl::Milliseconds(300);
  auto coder = client::Client::Make(options);
  const Geometry geometry = *Geometry::Make(Code::kXor, 1, 1);
  const std::vector<uint8_t> data(32 << 20);
  std::vector<uint8_t> parity(data.size());
  const absl::Status status =
      (*coder)->Encode(geometry, {ShardBytes(data)}, data.size(), {parity.data()});
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
}

// A server that answers Verify with whatever it is given.
class LyingServer : public v1::ParityService::Service {
 public:
  grpc::Status Verify(grpc::ServerContext*, const v1::VerifyRequest*,
                      v1::VerifyResponse* response) override {
    *response = answer;
    return grpc::Status::OK;
  }
  v1::VerifyResponse answer;
};

TEST(RemoteClient, RefusesAReportThatCannotBe) {
  LyingServer service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  auto coder = client::Client::Make(client::RemoteOnly("127.0.0.1:" + std::to_string(port)));
  const Stripe stripe = MakeStripe(*Geometry::Make(Code::kReedSolomon, 4, 2), 100);
  const auto verify = [&] { return (*coder)->Verify(stripe.geometry, stripe.Views(0, 6), 100); };
  EXPECT_TRUE(verify().ok());

  auto* mismatch = service.answer.add_mismatches();
  const auto answer = [&](uint32_t shard, uint64_t offset, uint32_t suspect) {
    mismatch->set_shard(shard);
    mismatch->set_offset(offset);
    service.answer.set_suspect(suspect);
    return verify().status();
  };
  EXPECT_TRUE(answer(5, 99, 5).ok());
  EXPECT_TRUE(absl::IsInternal(answer(3, 99, 5)));  // not a parity shard
  EXPECT_TRUE(absl::IsInternal(answer(6, 99, 5)));
  EXPECT_TRUE(absl::IsInternal(answer(5, 100, 5)));
  EXPECT_TRUE(absl::IsInternal(answer(5, 99, 6)));
}

TEST(RemoteClient, RefusesATargetThatIsNoAddress) {
  const auto coder = client::Client::Make(client::RemoteOnly("nowhere"));
  EXPECT_TRUE(absl::IsInvalidArgument(coder.status()));
  EXPECT_THAT(std::string(coder.status().message()),
              ::testing::HasSubstr("targets[0]: got nowhere"));
}

TEST(RemoteClient, CutsAStripeThatNoMessageHolds) {
  for (const uint64_t limit : {uint64_t{100'000}, wire::kMaxMessageBytes}) {
    rpc::Limits limits;
    limits.max_message_bytes = limit;
    RunningServer server(limits);
    client::ClientOptions options = client::RemoteOnly(server.tcp());
    options.slice_bytes = UINT64_MAX;
    const auto client = client::Client::Make(options);
    const Geometry geometry = *Geometry::Make(Code::kXor, 1, 1);
    const std::vector<uint8_t> data = RandomBytes(limit + 1, 1);
    std::vector<uint8_t> parity(data.size());
    const absl::Status status =
        (*client)->Encode(geometry, {ShardBytes(data)}, data.size(), {parity.data()});
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_TRUE(parity == data);
  }
}

}  // namespace
}  // namespace parity::testing
