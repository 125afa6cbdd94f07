// Whatever is wrong with where the shards of a request are said to lie is an error.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parity/v1/parity.grpc.pb.h"
#include "parity/wire/limits.h"
#include "region_fixture.h"
#include "server_fixture.h"

namespace parity::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kPage = 4096;

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

INSTANTIATE_TEST_SUITE_P(Ways, BadRegionRequest, ::testing::Bool(),
                         [](const auto& way) { return way.param ? "Stream" : "Call"; });

}  // namespace
}  // namespace parity::testing
