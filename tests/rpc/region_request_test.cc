// Requests whose shards lie in memory that client and server share: the same answers as of shards
// that travel, whatever is wrong with where they are said to lie is an error, and a region outlives
// its requests.
#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parity/region/region.h"
#include "parity/region/region_table.h"
#include "parity/shm/mapping.h"
#include "parity/v1/parity.grpc.pb.h"
#include "parity/wire/limits.h"
#include "parity/wire/stripe_message.h"
#include "server_fixture.h"
#include "stripe_messages.h"

namespace parity::testing {
namespace {

using codec::Code;
using codec::Geometry;
using codec::Matrix;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kPage = 4096;

// A region as its client has it: mapped once more, so it can be read when the server has let it go.
class ClientRegion {
 public:
  ClientRegion(region::RegionTable& table, uint64_t bytes) : table_(table) {
    auto made = region::Region::Make(table.NewId(), bytes, 0, {});
    EXPECT_TRUE(made.ok()) << made.status();
    auto mapped = shm::Mapping::Map((*made)->descriptors()[2], (*made)->bytes(),
                                    shm::Mapping::Access::kReadWrite);
    EXPECT_TRUE(mapped.ok()) << mapped.status();
    memory_ = *std::move(mapped);
    id_ = (*made)->id();
    held_ = *made;
    table.Add(*made);
  }
  ~ClientRegion() { table_.Remove(id_); }
  ClientRegion(const ClientRegion&) = delete;
  ClientRegion& operator=(const ClientRegion&) = delete;

  uint64_t id() const { return id_; }
  uint64_t bytes() const { return memory_.bytes(); }
  uint8_t* data() const { return memory_.data(); }
  bool server_has_it() const { return !held_.expired(); }

  // Places for shards, one behind the other, in turn with and without a gap.
  uint64_t Reserve(uint64_t bytes) {
    const uint64_t offset = used_;
    used_ += bytes + (++reserved_ % 3) * 7;
    EXPECT_LE(used_, this->bytes());
    return offset;
  }
  uint64_t Put(const std::string& shard) {
    const uint64_t offset = Reserve(shard.size());
    std::copy(shard.begin(), shard.end(), data() + offset);
    return offset;
  }
  std::string Get(uint64_t offset, uint64_t bytes) const {
    return std::string(data() + offset, data() + offset + bytes);
  }
  std::string All() const { return Get(0, bytes()); }
  void Clear() {
    std::fill_n(data(), bytes(), uint8_t{0xa5});
    used_ = 0;
  }

 private:
  region::RegionTable& table_;
  shm::Mapping memory_;
  uint64_t id_ = 0;
  std::weak_ptr<region::Region> held_;
  uint64_t used_ = 0;
  unsigned reserved_ = 0;
};

// The request of the operation that there is in it.
template <class Function>
void Visit(v1::ProcessRequest& request, const Function& function) {
  if (request.has_encode()) function(*request.mutable_encode());
  if (request.has_reconstruct()) function(*request.mutable_reconstruct());
  if (request.has_verify()) function(*request.mutable_verify());
  if (request.has_update()) function(*request.mutable_update());
}

struct Answered {
  grpc::Status status;
  v1::ProcessResponse response;  // in any case, with the shards in it or without
};

// What all answers but that of Verify have.
struct Computed {
  std::vector<std::string> shards;
  std::vector<uint32_t> checksums;
  std::vector<uint32_t> indices;
  uint64_t shard_bytes = 0;
};

template <class Response>
Computed ComputedIn(const Response& response) {
  Computed computed;
  computed.shards = ShardsIn(response);
  computed.checksums.assign(response.checksums().begin(), response.checksums().end());
  computed.shard_bytes = response.shard_bytes();
  return computed;
}

Computed ComputedIn(const v1::ProcessResponse& response) {
  if (response.has_encode()) return ComputedIn(response.encode());
  if (response.has_update()) return ComputedIn(response.update());
  Computed computed = ComputedIn(response.reconstruct());
  computed.indices.assign(response.reconstruct().indices().begin(),
                          response.reconstruct().indices().end());
  return computed;
}

// True: over a stream; false: a call of its own.
class RegionRequest : public ::testing::TestWithParam<bool> {
 protected:
  Answered Ask(const v1::ProcessRequest& request) const {
    return GetParam() ? AskOnStream(request) : AskInACall(request);
  }

  Answered AskInACall(const v1::ProcessRequest& request) const {
    Answered answered;
    grpc::ClientContext context;
    v1::ProcessResponse& response = answered.response;
    switch (request.request_case()) {
      case v1::ProcessRequest::kEncode:
        answered.status = stub_->Encode(&context, request.encode(), response.mutable_encode());
        break;
      case v1::ProcessRequest::kReconstruct:
        answered.status =
            stub_->Reconstruct(&context, request.reconstruct(), response.mutable_reconstruct());
        break;
      case v1::ProcessRequest::kVerify:
        answered.status = stub_->Verify(&context, request.verify(), response.mutable_verify());
        break;
      case v1::ProcessRequest::kUpdate:
        answered.status = stub_->Update(&context, request.update(), response.mutable_update());
        break;
      case v1::ProcessRequest::REQUEST_NOT_SET:
        ADD_FAILURE();
    }
    return answered;
  }

  Answered AskOnStream(const v1::ProcessRequest& request) const {
    Answered answered;
    grpc::ClientContext context;
    const auto stream = stub_->Process(&context);
    EXPECT_TRUE(stream->Write(request));
    EXPECT_TRUE(stream->Read(&answered.response));
    stream->WritesDone();
    EXPECT_TRUE(stream->Finish().ok());
    const auto& error = answered.response.error();
    if (answered.response.has_error()) {
      answered.status = grpc::Status(static_cast<grpc::StatusCode>(error.code()), error.message(),
                                     error.SerializeAsString());
    }
    return answered;
  }

  const std::shared_ptr<region::RegionTable> table_ = std::make_shared<region::RegionTable>();
  RunningServer server_{rpc::Limits(), "", std::nullopt, table_};
  std::unique_ptr<v1::ParityService::Stub> stub_ = v1::ParityService::NewStub(server_.Connect());
};

// What each shard of an answer will be written to.
std::vector<uint64_t> ReserveOutputs(ClientRegion& region, uint64_t shard_bytes, size_t count) {
  std::vector<uint64_t> offsets;
  for (size_t i = 0; i < count; ++i) offsets.push_back(region.Reserve(shard_bytes));
  return offsets;
}

// The same request with its shards in the region, and where its outputs will be.
v1::ProcessRequest Move(const v1::ProcessRequest& travelling, ClientRegion& region,
                        size_t computed_shards, std::vector<uint64_t>* outputs) {
  v1::ProcessRequest moved = travelling;
  Visit(moved, [&](auto& request) {
    request.set_region(region.id());
    const bool has_lengths =
        std::any_of(request.shards().begin(), request.shards().end(),
                    [&](const auto& shard) { return shard.size() < request.shard_bytes(); });
    for (const std::string& shard : request.shards()) {
      request.add_offsets(region.Put(shard));
      if (has_lengths) request.add_lengths(shard.size());
    }
    request.clear_shards();
  });
  if (moved.has_update()) {
    outputs->clear();
    const v1::UpdateRequest& update = moved.update();
    const int per_stripe = update.offsets_size() / static_cast<int>(update.stripes());
    const int parity = static_cast<int>(update.geometry().parity_shards());
    for (int i = 0; i < update.offsets_size(); ++i) {
      if (i % per_stripe >= per_stripe - parity) outputs->push_back(update.offsets(i));
    }
    return moved;
  }
  uint64_t shard_bytes = 0;
  Visit(moved, [&](const auto& request) { shard_bytes = request.shard_bytes(); });
  *outputs = ReserveOutputs(region, shard_bytes, computed_shards);
  const auto add = [&](auto* offsets) { offsets->Assign(outputs->begin(), outputs->end()); };
  if (moved.has_encode()) add(moved.mutable_encode()->mutable_output_offsets());
  if (moved.has_reconstruct()) add(moved.mutable_reconstruct()->mutable_output_offsets());
  return moved;
}

// Every operation on the same stripes, in messages with shards.
std::vector<v1::ProcessRequest> EveryOperation(const Stripes& stripes, bool shortened,
                                               bool checksums) {
  const uint32_t k = stripes.geometry.data_shards();
  const uint32_t total = stripes.geometry.total_shards();
  std::vector<uint32_t> present;
  for (uint32_t i = 1; i < total; ++i) present.push_back(i);
  std::vector<v1::ProcessRequest> requests(5);
  const auto fill = [&](auto* request, const std::vector<std::string>& shards) {
    using Request = std::remove_pointer_t<decltype(request)>;
    *request = RequestFor<Request>(wire::ToProto(stripes.geometry), shards, stripes.shard_bytes,
                                   static_cast<uint32_t>(stripes.shards.size()), false);
  };
  fill(requests[0].mutable_encode(), stripes.Data());
  fill(requests[1].mutable_reconstruct(), stripes.Pick(present));
  for (const uint32_t index : present) requests[1].mutable_reconstruct()->add_present(index);
  fill(requests[2].mutable_verify(), stripes.All());
  std::vector<std::string> wrong = stripes.All();
  wrong[wrong.size() - total + 1].back() ^= 3;
  fill(requests[3].mutable_verify(), wrong);
  std::vector<uint32_t> changed = {0, 1};  // shard 0 becomes what shard 1 is
  for (uint32_t i = k; i < total; ++i) changed.push_back(i);
  fill(requests[4].mutable_update(), stripes.Pick(changed));
  requests[4].mutable_update()->add_changed(0);
  for (v1::ProcessRequest& request : requests) {
    Visit(request, [&](auto& of) {
      // The first shard of a stripe ends early, that of the first stripe at once.
      const int per_stripe = of.shards_size() / static_cast<int>(of.stripes());
      for (int i = 0; shortened && i < of.shards_size(); i += per_stripe) {
        of.mutable_shards(i)->resize(i == 0 ? 0 : stripes.shard_bytes / 2);
      }
      for (int i = 0; checksums && i < of.shards_size(); ++i) {
        of.add_checksums(Crc32cOf(of.shards(i)));
      }
    });
  }
  return requests;
}

TEST_P(RegionRequest, IsAnsweredAsOneWhoseShardsTravel) {
  ClientRegion region(*table_, 6 << 20);
  const Geometry geometries[] = {*Geometry::Make(Code::kXor, 3, 1),
                                 *Geometry::Make(Code::kRaid6, 4, 2),
                                 *Geometry::Make(Code::kReedSolomon, 4, 3),
                                 *Geometry::Make(Code::kReedSolomon, 2, 2, Matrix::kVandermonde),
                                 *Geometry::MakeCustom(3, 2, {1, 2, 3, 7, 8, 9})};
  uint32_t seed = 0;
  for (const Geometry& geometry : geometries) {
    for (const size_t bytes : {1, 4096, 150'001}) {
      for (const uint32_t count : {1, 3}) {
        const Stripes stripes(geometry, bytes, count, ++seed);
        for (const bool shortened : {false, true}) {
          for (const bool checksums : {false, true}) {
            for (const auto& travelling : EveryOperation(stripes, shortened, checksums)) {
              SCOPED_TRACE(::testing::Message()
                           << "operation " << travelling.request_case() << ", geometry " << seed
                           << ", " << bytes << " bytes, " << count << " stripes"
                           << (shortened ? ", shortened" : "") << (checksums ? ", summed" : ""));
              const Answered want = AskInACall(travelling);
              ASSERT_TRUE(want.status.ok()) << want.status.error_message();
              region.Clear();
              std::vector<uint64_t> outputs;
              const bool verify = travelling.has_verify();
              const Computed wanted = verify ? Computed() : ComputedIn(want.response);
              const auto moved = Move(travelling, region, wanted.shards.size(), &outputs);
              std::string memory = region.All();
              const Answered got = Ask(moved);
              ASSERT_TRUE(got.status.ok()) << got.status.error_message();
              if (verify) {
                EXPECT_EQ(got.response.verify().SerializeAsString(),
                          want.response.verify().SerializeAsString());
              } else {
                const Computed computed = ComputedIn(got.response);
                EXPECT_TRUE(computed.shards.empty());
                EXPECT_EQ(computed.checksums, wanted.checksums);
                EXPECT_EQ(computed.checksums.empty(), !checksums);
                EXPECT_EQ(computed.indices, wanted.indices);
                EXPECT_EQ(computed.shard_bytes, bytes);
                ASSERT_EQ(outputs.size(), wanted.shards.size());
                for (size_t i = 0; i < outputs.size(); ++i) {
                  memory.replace(outputs[i], bytes, wanted.shards[i]);
                }
              }
              ASSERT_TRUE(region.All() == memory) << "what was not computed, or beside it";
            }
          }
        }
      }
    }
  }
}

TEST_P(RegionRequest, ComputesChosenShards) {
  ClientRegion region(*table_, 1 << 20);
  const Stripes stripes(*Geometry::Make(Code::kReedSolomon, 4, 3), 5000, 2, 1);
  v1::ProcessRequest request;
  auto& reconstruct = *request.mutable_reconstruct();
  reconstruct = RequestFor<v1::ReconstructRequest>(wire::ToProto(stripes.geometry),
                                                   stripes.Pick({6, 0, 3, 1}), 5000, 2, false);
  for (const uint32_t index : {6, 0, 3, 1}) reconstruct.add_present(index);
  for (const uint32_t index : {5, 2}) reconstruct.add_wanted(index);
  std::vector<uint64_t> outputs;
  const Answered got = Ask(Move(request, region, 4, &outputs));
  ASSERT_TRUE(got.status.ok()) << got.status.error_message();
  EXPECT_THAT(got.response.reconstruct().indices(), ::testing::ElementsAre(5, 2));
  std::vector<std::string> shards;
  for (const uint64_t offset : outputs) shards.push_back(region.Get(offset, 5000));
  EXPECT_EQ(shards, stripes.Pick({5, 2}));
}

TEST_P(RegionRequest, AShardWithoutItsChecksumIsDataLoss) {
  ClientRegion region(*table_, 4 << 20);
  const Stripes stripes(*Geometry::Make(Code::kReedSolomon, 4, 2), 5000, 2, 7);
  for (v1::ProcessRequest travelling : EveryOperation(stripes, false, true)) {
    std::vector<uint64_t> outputs;
    Visit(travelling, [](auto& request) {
      const int last = request.checksums_size() - 1;
      request.set_checksums(last, request.checksums(last) ^ 0x10);
    });
    const int last = [&] {
      int count = 0;
      Visit(travelling, [&](const auto& request) { count = request.checksums_size(); });
      return count - 1;
    }();
    const size_t computed = travelling.has_encode() ? 4 : travelling.has_reconstruct() ? 2 : 0;
    const Answered got = Ask(Move(travelling, region, computed, &outputs));
    EXPECT_EQ(got.status.error_code(), grpc::StatusCode::DATA_LOSS);
    EXPECT_EQ(FieldIn(got.status), "shards[" + std::to_string(last) + "]")
        << got.status.error_message();
  }
}

TEST_P(RegionRequest, IsNotBoundByTheLengthOfMessagesNorHeld) {
  rpc::Limits limits;
  limits.max_message_bytes = 64 << 10;
  limits.max_held_bytes = 64 << 10;
  RunningServer server(limits, "", std::nullopt, table_);
  stub_ = v1::ParityService::NewStub(server.Connect());
  ClientRegion region(*table_, 48 << 20);
  const Stripes stripes(*Geometry::Make(Code::kReedSolomon, 4, 2), 6 << 20, 1, 1);
  v1::ProcessRequest request;
  *request.mutable_encode() = RequestFor<v1::EncodeRequest>(
      wire::ToProto(stripes.geometry), stripes.Data(), stripes.shard_bytes, 1, false);
  std::vector<uint64_t> outputs;
  const v1::ProcessRequest moved = Move(request, region, 2, &outputs);
  for (int round = 0; round < 5; ++round) {
    for (const uint64_t offset : outputs) std::fill_n(region.data() + offset, 6 << 20, uint8_t{7});
    const Answered got = Ask(moved);
    ASSERT_TRUE(got.status.ok()) << got.status.error_message();
    EXPECT_TRUE(region.Get(outputs[0], 6 << 20) == stripes.shards[0][4]);
    EXPECT_TRUE(region.Get(outputs[1], 6 << 20) == stripes.shards[0][5]);
  }
  AwaitNothingHeld(*stub_);
  EXPECT_EQ(StatsOf(*stub_).requests(), 5u);
  EXPECT_EQ(StatsOf(*stub_).source_bytes(), uint64_t{5} * 4 * (6 << 20));
}

// Requests of 2 data shards and 1 parity shard, of 100 bytes, one behind the other.
v1::ProcessRequest SmallEncode(uint64_t region, uint32_t stripes = 1) {
  v1::ProcessRequest request;
  auto& encode = *request.mutable_encode();
  encode.mutable_geometry()->set_code(v1::CODE_XOR);
  encode.mutable_geometry()->set_data_shards(2);
  encode.mutable_geometry()->set_parity_shards(1);
  encode.set_shard_bytes(100);
  encode.set_stripes(stripes);
  encode.set_region(region);
  uint64_t offset = 0;
  for (uint32_t i = 0; i < 2 * stripes; ++i, offset += 100) encode.add_offsets(offset);
  for (uint32_t i = 0; i < stripes; ++i, offset += 100) encode.add_output_offsets(offset);
  return request;
}

v1::ProcessRequest SmallReconstruct(uint64_t region) {
  const v1::EncodeRequest encode = SmallEncode(region).encode();
  v1::ProcessRequest request;
  EXPECT_TRUE(request.mutable_reconstruct()->ParseFromString(encode.SerializeAsString()));
  request.mutable_reconstruct()->add_present(0);
  request.mutable_reconstruct()->add_present(2);
  return request;
}

v1::ProcessRequest SmallVerify(uint64_t region) {
  v1::EncodeRequest encode = SmallEncode(region).encode();
  encode.add_offsets(200);
  encode.clear_output_offsets();
  v1::ProcessRequest request;
  EXPECT_TRUE(request.mutable_verify()->ParseFromString(encode.SerializeAsString()));
  return request;
}

v1::ProcessRequest SmallUpdate(uint64_t region) {
  v1::ProcessRequest request;
  EXPECT_TRUE(
      request.mutable_update()->ParseFromString(SmallVerify(region).verify().SerializeAsString()));
  request.mutable_update()->add_changed(1);
  return request;
}

struct Spoiled {
  const char* what;
  std::function<void(v1::ProcessRequest&)> spoil;
  const char* field;
  const char* message;  // stands in the error
  grpc::StatusCode code = grpc::StatusCode::INVALID_ARGUMENT;
};

class BadRegionRequest : public RegionRequest {
 protected:
  void ExpectRefusals(const v1::ProcessRequest& good, const std::vector<Spoiled>& cases) {
    std::mt19937 random(1);
    std::generate_n(region_.data(), region_.bytes(), random);
    const std::string memory = region_.All();
    for (const Spoiled& spoiled : cases) {
      v1::ProcessRequest request = good;
      spoiled.spoil(request);
      const Answered got = Ask(request);
      EXPECT_EQ(got.status.error_code(), spoiled.code)
          << spoiled.what << ": " << got.status.error_message();
      EXPECT_EQ(FieldIn(got.status), spoiled.field)
          << spoiled.what << ": " << got.status.error_message();
      EXPECT_THAT(got.status.error_message(), HasSubstr(spoiled.message)) << spoiled.what;
      EXPECT_TRUE(region_.All() == memory) << spoiled.what << ": the region has been written to";
    }
    EXPECT_TRUE(Ask(good).status.ok()) << Ask(good).status.error_message();
  }

  ClientRegion region_{*table_, 2 * kPage};
};

TEST_P(BadRegionRequest, EncodeNamesTheFieldTheValueAndWhatIsWanted) {
  const auto encode = [](const std::function<void(v1::EncodeRequest&)>& spoil) {
    return [spoil](v1::ProcessRequest& request) { spoil(*request.mutable_encode()); };
  };
  const auto offset = [&](int index, uint64_t value) {
    return encode([=](v1::EncodeRequest& r) { r.set_offsets(index, value); });
  };
  const auto output = [&](uint64_t value) {
    return encode([=](v1::EncodeRequest& r) { r.set_output_offsets(0, value); });
  };
  const auto lengths = [&](const std::vector<uint64_t>& values) {
    return encode(
        [=](v1::EncodeRequest& r) { r.mutable_lengths()->Assign(values.begin(), values.end()); });
  };
  const auto shard_bytes = [&](uint64_t value) {
    return encode([=](v1::EncodeRequest& r) { r.set_shard_bytes(value); });
  };
  constexpr uint64_t kMost = UINT64_MAX;
  ExpectRefusals(
      SmallEncode(region_.id()),
      {{"an id that there is not", encode([&](auto& r) { r.set_region(region_.id() + 1); }),
        "region", "region: got an id that no region has, want that of a region of this server",
        grpc::StatusCode::NOT_FOUND},
       {"no region", encode([](auto& r) { r.set_region(0); }), "region", "got 0"},
       {"no region, lengths alone", encode([](auto& r) {
          r.Clear();
          r.add_lengths(1);
          r.add_shards("x");
        }),
        "region", "got 0"},
       {"no region, outputs alone", encode([](auto& r) {
          r.Clear();
          r.add_output_offsets(0);
        }),
        "region", "got 0"},
       {"shards as well", encode([](auto& r) { r.add_shards("x"); }), "region", "one of them"},
       {"packed shards as well", encode([](auto& r) { r.set_packed_shards("x"); }), "region",
        "one of them"},
       {"no offsets", encode([](auto& r) { r.clear_offsets(); }), "offsets", "got none"},
       {"an offset too few", encode([](auto& r) { r.mutable_offsets()->RemoveLast(); }), "offsets",
        "got 1 shards, want 2"},
       {"an offset too many", encode([](auto& r) { r.add_offsets(0); }), "offsets",
        "got 3 shards, want 2"},
       {"more offsets for some stripes", encode([](auto& r) { r.set_stripes(3); }), "offsets",
        "got 2, want as many for each of 3 stripes"},
       {"a length too few", lengths({100}), "lengths", "got 1, want none, or one for each of 2"},
       {"a length too many", lengths({1, 1, 1}), "lengths", "got 3"},
       {"a longer shard", lengths({100, 101}), "lengths[1]", "got 101, want at most shard_bytes"},
       {"a much longer one", lengths({kMost, 1}), "lengths[0]", "got 18446744073709551615"},
       {"no outputs", encode([](auto& r) { r.clear_output_offsets(); }), "output_offsets",
        "got 0, want one for each"},
       {"an output too many", encode([](auto& r) { r.add_output_offsets(400); }), "output_offsets",
        "got 2, want 1"},
       {"no shard_bytes", shard_bytes(0), "shard_bytes", "got 0"},
       {"shard_bytes beyond the region", shard_bytes(2731), "shard_bytes",
        "got 2731 for each of 3 shards, want at most 8192 bytes in all"},
       {"shard_bytes whose sum overflows", shard_bytes((kMost / 3) + 2), "shard_bytes", "for each"},
       {"the most shard_bytes", shard_bytes(kMost), "shard_bytes", "got 18446744073709551615"},
       {"as many checksums as half", encode([](auto& r) { r.add_checksums(1); }), "checksums",
        "one for each of 2 shards"},
       {"beyond the end", offset(1, 8192 - 99), "offsets[1]",
        "got 8093, for 100 bytes, want all of them in the region of 8192 bytes"},
       {"at the end", offset(1, 8192), "offsets[1]", "got 8192"},
       {"offset and length overflow", offset(0, kMost - 99), "offsets[0]",
        "got 184467440737095515"},
       {"2^64 - 4096", offset(0, kMost - 4095), "offsets[0]", "got 18446744073709547520"},
       {"2^63", offset(0, uint64_t{1} << 63), "offsets[0]", "got 9223372036854775808"},
       {"2^32", offset(0, uint64_t{1} << 32), "offsets[0]", "got 4294967296"},
       {"an output beyond the end", output(8192 - 99), "output_offsets[0]", "got 8093"},
       {"an output at 2^64 - 4096", output(kMost - 4095), "output_offsets[0]",
        "got 18446744073709547520"},
       {"an output on a source", output(100), "output_offsets[0]", "overlaps no other shard"},
       {"an output on a source's last byte", output(199), "output_offsets[0]", "got 199"},
       {"another operation's place", encode([](auto& r) { r.mutable_geometry()->Clear(); }),
        "geometry.code", "got 0"}});
}

TEST_P(BadRegionRequest, TwoOutputsInOnePlaceAreRefused) {
  ExpectRefusals(SmallEncode(region_.id(), 3),
                 {{"the same", [](auto& r) { r.mutable_encode()->set_output_offsets(2, 700); },
                   "output_offsets[2]", "overlaps"},
                  {"a byte", [](auto& r) { r.mutable_encode()->set_output_offsets(0, 799); },
                   "output_offsets[0]", "overlaps"}});
}

TEST_P(BadRegionRequest, ReconstructAsEncode) {
  ExpectRefusals(
      SmallReconstruct(region_.id()),
      {{"no outputs", [](auto& r) { r.mutable_reconstruct()->clear_output_offsets(); },
        "output_offsets", "got 0"},
       {"an output too many", [](auto& r) { r.mutable_reconstruct()->add_output_offsets(500); },
        "output_offsets", "got 2, want 1"},
       {"an offset too many", [](auto& r) { r.mutable_reconstruct()->add_offsets(500); }, "offsets",
        "got 3 shards, want 2"},
       {"not enough present",
        [](auto& r) {
          r.mutable_reconstruct()->clear_present();
          r.mutable_reconstruct()->add_present(0);
          r.mutable_reconstruct()->add_wanted(1);
          r.mutable_reconstruct()->mutable_offsets()->RemoveLast();
        },
        "present", "got", grpc::StatusCode::FAILED_PRECONDITION},
       {"an output on a source", [](auto& r) { r.mutable_reconstruct()->set_output_offsets(0, 1); },
        "output_offsets[0]", "got 1"}});
}

TEST_P(BadRegionRequest, VerifyHasNoOutputs) {
  ExpectRefusals(
      SmallVerify(region_.id()),
      {{"outputs",
        [](auto& r) {
          std::string bytes = r.verify().SerializeAsString() + "\x60\x05";
          EXPECT_TRUE(r.mutable_verify()->ParseFromString(bytes));
        },
        "output_offsets", "got 1, want none"},
       {"an offset too few", [](auto& r) { r.mutable_verify()->mutable_offsets()->RemoveLast(); },
        "offsets", "got 2 shards, want 3"},
       {"beyond the end", [](auto& r) { r.mutable_verify()->set_offsets(2, 8093); }, "offsets[2]",
        "got 8093"}});
}

TEST_P(BadRegionRequest, UpdateWritesToItsParityAlone) {
  const auto lengths = [](const std::vector<uint64_t>& values) {
    return [values](v1::ProcessRequest& r) {
      r.mutable_update()->mutable_lengths()->Assign(values.begin(), values.end());
    };
  };
  ExpectRefusals(
      SmallUpdate(region_.id()),
      {{"outputs",
        [](auto& r) {
          std::string bytes = r.update().SerializeAsString() + "\x60\x05";
          EXPECT_TRUE(r.mutable_update()->ParseFromString(bytes));
        },
        "output_offsets", "got 1, want none"},
       {"short parity", lengths({100, 100, 99}), "lengths[2]",
        "got 99, want for a shard to be updated shard_bytes (100)"},
       {"parity that is too long", lengths({0, 0, 101}), "lengths[2]", "want at most"},
       {"parity on a changed shard", [](auto& r) { r.mutable_update()->set_offsets(2, 150); },
        "offsets[2]", "overlaps no other"},
       {"fewer shards than parity",
        [](auto& r) {
          r.mutable_update()->mutable_geometry()->set_code(v1::CODE_RAID6);
          r.mutable_update()->mutable_geometry()->set_parity_shards(2);
          r.mutable_update()->mutable_offsets()->Truncate(1);
        },
        "offsets", "got 1 shards, want 4"},
       {"nothing changed", [](auto& r) { r.mutable_update()->clear_changed(); }, "changed",
        "got none"},
       {"an index that there is not", [](auto& r) { r.mutable_update()->set_changed(0, 2); },
        "changed[0]", "got 2"}});
}

TEST_P(BadRegionRequest, WithoutATableThereAreNoRegions) {
  RunningServer server;
  stub_ = v1::ParityService::NewStub(server.Connect());
  const Answered got = Ask(SmallEncode(region_.id()));
  EXPECT_EQ(got.status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(FieldIn(got.status), "region");
}

TEST_P(BadRegionRequest, ARegionThatIsGoneIsUnknownAndItsIdIsNotToldAgain) {
  const uint64_t id = region_.id();
  EXPECT_TRUE(Ask(SmallEncode(id)).status.ok());
  table_->Remove(id);
  const Answered got = Ask(SmallEncode(id));
  EXPECT_EQ(got.status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(got.status.error_message(), Not(HasSubstr(std::to_string(id))));
}

TEST_P(BadRegionRequest, ShardsUpToTheLastByteOfTheRegion) {
  const uint64_t last = region_.bytes() - 100;
  for (const uint64_t offset : {last - 1, last, last + 1}) {
    v1::ProcessRequest source = SmallEncode(region_.id());
    source.mutable_encode()->set_offsets(1, offset);
    EXPECT_EQ(Ask(source).status.ok(), offset <= last);
    v1::ProcessRequest output = SmallEncode(region_.id());
    output.mutable_encode()->set_output_offsets(0, offset);
    EXPECT_EQ(Ask(output).status.ok(), offset <= last);
    v1::ProcessRequest updated = SmallUpdate(region_.id());
    updated.mutable_update()->set_offsets(2, offset);
    EXPECT_EQ(Ask(updated).status.ok(), offset <= last);
    // Of a shard without bytes, the place may be just behind.
    v1::ProcessRequest empty = SmallEncode(region_.id());
    empty.mutable_encode()->set_offsets(1, offset + 100);
    for (const uint64_t length : {100, 0}) empty.mutable_encode()->add_lengths(length);
    EXPECT_EQ(Ask(empty).status.ok(), offset <= last);
  }
}

TEST_P(BadRegionRequest, AllShardsTogetherAreNoLongerThanTheRegion) {
  const uint64_t most = region_.bytes() / 4;
  for (const uint64_t bytes : {most - 1, most, most + 1}) {
    v1::ProcessRequest request = SmallEncode(region_.id());
    auto& encode = *request.mutable_encode();
    encode.mutable_geometry()->set_data_shards(3);
    encode.set_shard_bytes(bytes);
    // Two sources in one place: what counts is what they would be.
    encode.clear_offsets();
    for (int i = 0; i < 3; ++i) encode.add_offsets(0);
    encode.set_output_offsets(0, most + 1);
    const Answered got = Ask(request);
    EXPECT_EQ(got.status.ok(), bytes <= most) << got.status.error_message();
    if (bytes > most) {
      EXPECT_EQ(FieldIn(got.status), "shard_bytes");
    }
  }
}

TEST_P(BadRegionRequest, StripesOfAMessageAtTheirLimit) {
  ClientRegion region(*table_, 1 << 20);
  constexpr uint32_t kLimit = wire::kMaxStripesPerMessage;
  for (const uint32_t count : {kLimit - 1, kLimit, kLimit + 1}) {
    std::mt19937 random(count);
    std::generate_n(region.data(), region.bytes(), random);
    const v1::ProcessRequest request = SmallEncode(region.id(), count);
    const Answered got = Ask(request);
    if (count > kLimit) {
      EXPECT_EQ(FieldIn(got.status), "stripes");
      continue;
    }
    ASSERT_TRUE(got.status.ok()) << got.status.error_message();
    for (uint32_t s = 0; s < count; ++s) {
      for (uint32_t i = 0; i < 100; ++i) {
        ASSERT_EQ(region.data()[200 * count + 100 * s + i],
                  region.data()[200 * s + i] ^ region.data()[200 * s + 100 + i]);
      }
    }
  }
}

TEST_P(BadRegionRequest, AnOutputMayBeginWhereAShortShardEnds) {
  v1::ProcessRequest request = SmallEncode(region_.id());
  for (const uint64_t length : {100, 40}) request.mutable_encode()->add_lengths(length);
  for (const uint64_t offset : {139, 140}) {
    request.mutable_encode()->set_output_offsets(0, offset);
    EXPECT_EQ(Ask(request).status.ok(), offset == 140);
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, RegionRequest, ::testing::Bool(),
                         [](const auto& way) { return way.param ? "Stream" : "Call"; });
INSTANTIATE_TEST_SUITE_P(Ways, BadRegionRequest, ::testing::Bool(),
                         [](const auto& way) { return way.param ? "Stream" : "Call"; });

// What happens to the memory meanwhile.
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
