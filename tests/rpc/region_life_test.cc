// What happens to a region while requests are under way: removed, given up, written to.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "parity/codec/geometry.h"
#include "parity/region/region_table.h"
#include "parity/v1/parity.grpc.pb.h"
#include "parity/wire/stripe_message.h"
#include "region_fixture.h"
#include "server_fixture.h"
#include "stripe_messages.h"

namespace parity::testing {
namespace {

using codec::Code;
using codec::Geometry;

class RegionLife : public ::testing::Test {
 protected:
  using Stream = grpc::ClientReaderWriter<v1::ProcessRequest, v1::ProcessResponse>;

  // Of a large stripe, so that there are slices to compute.
  v1::ProcessRequest Encode(ClientRegion& region, bool checksums) {
    v1::ProcessRequest travelling;
    auto& encode = *travelling.mutable_encode();
    encode = RequestFor<v1::EncodeRequest>(wire::ToProto(stripes_.geometry), stripes_.Data(),
                                           stripes_.shard_bytes, 1, false);
    if (checksums) {
      for (const std::string& shard : stripes_.Data()) encode.add_checksums(Crc32cOf(shard));
    }
    return Move(travelling, region, 2, &outputs_);
  }
  void ExpectParityIn(const ClientRegion& region) const {
    for (size_t i = 0; i < outputs_.size(); ++i) {
      EXPECT_TRUE(region.Get(outputs_[i], stripes_.shard_bytes) == stripes_.shards[0][4 + i]);
    }
  }
  static void AwaitRelease(const ClientRegion& region) {
    const absl::Time give_up = absl::Now() + absl::Seconds(20);
    while (region.server_has_it()) ASSERT_LT(absl::Now(), give_up) << "the region is still held";
  }

  const Stripes stripes_{*Geometry::Make(Code::kReedSolomon, 4, 2), 1 << 20, 1, 1};
  std::vector<uint64_t> outputs_;  // of what Encode returned last
  const std::shared_ptr<region::RegionTable> table_ = std::make_shared<region::RegionTable>();
  RunningServer server_{rpc::Limits(), "", std::nullopt, table_};
  std::unique_ptr<v1::ParityService::Stub> stub_ = v1::ParityService::NewStub(server_.Connect());
};

TEST_F(RegionLife, ARegionThatIsRemovedStaysForTheRequestsUnderWay) {
  int finished_later = 0;
  for (int round = 0; round < 60; ++round) {
    ClientRegion region(*table_, 7 << 20);
    v1::ProcessRequest request = Encode(region, round % 2 == 0);
    grpc::ClientContext context;
    const std::unique_ptr<Stream> stream = stub_->Process(&context);
    constexpr int kRequests = 8;
    for (int i = 0; i < kRequests; ++i) {
      request.set_id(i);
      ASSERT_TRUE(stream->Write(request));
    }
    stream->WritesDone();
    v1::ProcessResponse response;
    int answers = 0;
    // Now before the server has read any, now when some are done.
    for (; answers < round % 4 && stream->Read(&response); ++answers) {
      EXPECT_TRUE(response.has_encode());
    }
    table_->Remove(region.id());
    for (; stream->Read(&response); ++answers) {
      if (response.has_encode()) {
        ++finished_later;
        continue;
      }
      EXPECT_EQ(response.error().code(), grpc::StatusCode::NOT_FOUND) << response.error().message();
    }
    EXPECT_EQ(answers, kRequests);
    EXPECT_TRUE(stream->Finish().ok());
    if (round % 4 > 0) ExpectParityIn(region);
    AwaitRelease(region);
  }
  EXPECT_GT(finished_later, 0);
}

TEST_F(RegionLife, ACallThatIsGivenUpLetsGoOfItsRegion) {
  for (int round = 0; round < 30; ++round) {
    ClientRegion region(*table_, 7 << 20);
    const v1::ProcessRequest request = Encode(region, round % 2 == 0);
    grpc::ClientContext context;
    const std::unique_ptr<Stream> stream = stub_->Process(&context);
    for (int i = 0; i < 8; ++i) {
      if (!stream->Write(request)) break;
    }
    if (round % 3 == 0) table_->Remove(region.id());
    context.TryCancel();
    EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
    table_->Remove(region.id());
    AwaitRelease(region);
  }
  AwaitNothingHeld(*stub_);
}

TEST_F(RegionLife, WhoWritesToItMeanwhileHarmsNobodyElse) {
  ClientRegion own(*table_, 8 << 20);
  ClientRegion other(*table_, 8 << 20);
  const v1::ProcessRequest good = Encode(other, true);
  std::vector<uint64_t> outputs;
  std::vector<v1::ProcessRequest> requests;
  const Stripes stripes(*Geometry::Make(Code::kReedSolomon, 4, 2), 20'000, 3, 2);
  for (const bool checksums : {false, true}) {
    for (const auto& travelling : EveryOperation(stripes, true, checksums)) {
      const size_t computed = travelling.has_encode() ? 6 : travelling.has_reconstruct() ? 3 : 0;
      requests.push_back(Move(travelling, own, computed, &outputs));
    }
  }
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    std::mt19937 random(1);
    while (!stop) std::generate_n(own.data() + random() % own.bytes() / 2, 4096, random);
  });
  std::thread asker([&] {
    for (int round = 0; round < 20; ++round) {
      grpc::ClientContext context;
      v1::EncodeResponse response;
      for (const uint64_t offset : outputs_)
        std::fill_n(other.data() + offset, 1 << 20, uint8_t{0});
      EXPECT_TRUE(stub_->Encode(&context, good.encode(), &response).ok());
      ExpectParityIn(other);
    }
  });
  grpc::ClientContext context;
  const std::unique_ptr<Stream> stream = stub_->Process(&context);
  v1::ProcessResponse response;
  for (int round = 0; round < 100; ++round) {
    for (const v1::ProcessRequest& request : requests) ASSERT_TRUE(stream->Write(request));
    for (size_t i = 0; i < requests.size(); ++i) {
      ASSERT_TRUE(stream->Read(&response));
      EXPECT_TRUE(!response.has_error() || response.error().code() == grpc::StatusCode::DATA_LOSS)
          << response.error().message();
    }
  }
  stop = true;
  writer.join();
  asker.join();
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
}

}  // namespace
}  // namespace parity::testing
