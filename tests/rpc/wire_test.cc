// The reader and the writer of shard-carrying messages against protobuf's own.
#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/unknown_field_set.h"
#include "gtest/gtest.h"
#include "parity/codec/field_error.h"
#include "parity/v1/parity.pb.h"
#include "parity/wire/limits.h"
#include "parity/wire/message_writer.h"
#include "parity/wire/process_message.h"
#include "parity/wire/status.h"
#include "parity/wire/stripe_message.h"

namespace parity::wire {
namespace {

using ::testing::ElementsAre;

// The bytes as slices of random lengths, as a network would cut them: now a few, used where they
// lie, now so many that they are copied.
grpc::ByteBuffer Cut(const std::string& bytes, std::mt19937& random) {
  std::vector<grpc::Slice> slices;
  const size_t most = random() % 2 == 0 ? 40 : bytes.size() / 6 + 2;
  for (size_t offset = 0; offset < bytes.size();) {
    const size_t run = std::min<size_t>(random() % most, bytes.size() - offset);
    slices.emplace_back(bytes.data() + offset, run);
    offset += run;
  }
  return grpc::ByteBuffer(slices.data(), slices.size());
}

std::string Join(codec::Shard shard) {
  std::string bytes;
  for (codec::Segment segment : shard) {
    bytes.append(reinterpret_cast<const char*>(segment.data), segment.bytes);
  }
  return bytes;
}

TEST(StripeMessage, ReadsWhatProtobufWroteHoweverItIsCut) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    v1::ReconstructRequest request;
    request.mutable_geometry()->set_code(v1::CODE_REED_SOLOMON);
    request.mutable_geometry()->set_data_shards(random() % 300);
    request.mutable_geometry()->set_parity_shards(random());
    const int count = 1 + static_cast<int>(random() % 6);
    const size_t bytes = 1 + random() % 200;
    std::string all;
    for (int i = 0; i < count; ++i) {
      std::string shard(bytes, '\0');
      for (char& c : shard) c = static_cast<char>(random());
      all += shard;
      if (round % 2 == 0) request.add_shards(shard);
      request.add_present(random() % 1000);
    }
    if (round % 2 == 1) {
      request.set_packed_shards(all);
      request.set_shard_bytes(bytes);
    }
    for (unsigned i = 0; i < random() % 4; ++i) request.add_wanted(random());
    request.set_stripes(random() % (kMaxStripesPerMessage + 1));
    if (random() % 2 == 0) {
      for (int i = 0; i < count; ++i) request.add_checksums(random());
    }

    const auto message = StripeMessage::Read(Cut(request.SerializeAsString(), random));
    ASSERT_TRUE(message.ok()) << message.status();
    EXPECT_EQ(message->geometry().SerializeAsString(), request.geometry().SerializeAsString());
    EXPECT_EQ(message->shard_bytes(), bytes);
    EXPECT_EQ(message->form(), round % 2 == 1 ? ShardForm::kPacked : ShardForm::kRepeated);
    ASSERT_EQ(message->shards().size(), static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(Join(message->shards()[i]), all.substr(i * bytes, bytes));
    }
    EXPECT_EQ(message->indices(), absl::MakeConstSpan(request.present().data(), count));
    EXPECT_EQ(message->wanted().size(), static_cast<size_t>(request.wanted_size()));
    EXPECT_EQ(message->stripes(), std::max(request.stripes(), 1u));
    EXPECT_EQ(message->checksums(),
              absl::MakeConstSpan(request.checksums().data(), request.checksums().size()));
  }
}

TEST(StripeMessage, TakesChecksumsOneByOneToo) {
  std::mt19937 random(4);
  const std::string bytes = std::string("\x1a\x02hi\x1a\x02ho", 8) +
                            std::string("\x45\x01\x02\x03\x04", 5) +
                            std::string("\x45\xff\xff\xff\xff", 5);
  const auto message = StripeMessage::Read(Cut(bytes, random));
  ASSERT_TRUE(message.ok()) << message.status();
  EXPECT_THAT(message->checksums(), ElementsAre(0x04030201u, 0xffffffffu));
}

TEST(StripeMessage, ReadsWhereShardsLieInARegion) {
  std::mt19937_64 random(8);
  std::mt19937 cuts(8);
  const auto number = [&] { return random() >> random() % 64; };
  for (int round = 0; round < 1000; ++round) {
    v1::EncodeRequest request;
    request.mutable_geometry()->set_data_shards(random() % 300);
    request.set_region(random() | 1);
    request.set_shard_bytes(number() | 1);
    request.set_stripes(random() % 4);
    const uint32_t stripes = std::max(request.stripes(), 1u);
    const size_t count = stripes * (1 + random() % 20);
    for (size_t i = 0; i < count; ++i) request.add_offsets(number());
    if (round % 2 == 0) {
      for (size_t i = 0; i < count; ++i) request.add_lengths(number());
    }
    for (size_t i = random() % 20; i > 0; --i) request.add_output_offsets(number());
    if (round % 3 == 0) {
      for (size_t i = 0; i < count; ++i) request.add_checksums(cuts());
    }
    const auto message = StripeMessage::Read(Cut(request.SerializeAsString(), cuts));
    ASSERT_TRUE(message.ok()) << message.status();
    EXPECT_EQ(message->form(), ShardForm::kRegion);
    EXPECT_EQ(message->region(), request.region());
    EXPECT_EQ(message->shard_bytes(), request.shard_bytes());
    EXPECT_EQ(message->stripes(), stripes);
    EXPECT_TRUE(message->shards().empty());
    EXPECT_EQ(message->offsets(), absl::MakeConstSpan(request.offsets()));
    EXPECT_EQ(message->lengths(), absl::MakeConstSpan(request.lengths()));
    EXPECT_EQ(message->output_offsets(), absl::MakeConstSpan(request.output_offsets()));
    EXPECT_EQ(message->checksums(), absl::MakeConstSpan(request.checksums()));
  }
}

TEST(StripeMessage, TakesOffsetsOneByOneToo) {
  std::mt19937 random(9);
  const std::string bytes = std::string("\x49\x01\x02\x03\x04\x05\x06\x07\x08\x10\x09", 11) +
                            std::string("\x50\x07\x52\x02\x81\x01\x50\x00", 8) +  // 7, 129, 0
                            std::string("\x58\x01\x58\x02\x58\x03\x60\x04", 8);
  const auto message = StripeMessage::Read(Cut(bytes, random));
  ASSERT_TRUE(message.ok()) << message.status();
  EXPECT_EQ(message->region(), 0x0807060504030201u);
  EXPECT_THAT(message->offsets(), ElementsAre(7, 129, 0));
  EXPECT_THAT(message->lengths(), ElementsAre(1, 2, 3));
  EXPECT_THAT(message->output_offsets(), ElementsAre(4));
}

TEST(StripeMessage, NamesWhatIsWrongWithARegion) {
  std::mt19937 random(10);
  const auto field_of = [&](const v1::EncodeRequest& request) {
    const auto message = StripeMessage::Read(Cut(request.SerializeAsString(), random));
    EXPECT_TRUE(message.ok() || absl::IsInvalidArgument(message.status())) << message.status();
    return codec::FieldOf(message.status()).value_or("");
  };
  v1::EncodeRequest good;
  good.set_region(7);
  good.set_shard_bytes(1);
  good.set_stripes(2);
  for (int i = 0; i < 4; ++i) good.add_offsets(i);
  EXPECT_EQ(field_of(good), "");
  const auto spoiled = [&](const auto& spoil) {
    v1::EncodeRequest request = good;
    spoil(request);
    return field_of(request);
  };
  EXPECT_EQ(spoiled([](auto& r) { r.clear_region(); }), "region");
  EXPECT_EQ(spoiled([](auto& r) { r.add_shards(""); }), "region");
  EXPECT_EQ(spoiled([](auto& r) { r.set_packed_shards("x"); }), "region");
  EXPECT_EQ(spoiled([](auto& r) { r.clear_shard_bytes(); }), "shard_bytes");
  EXPECT_EQ(spoiled([](auto& r) { r.clear_offsets(); }), "offsets");
  EXPECT_EQ(spoiled([](auto& r) { r.set_stripes(3); }), "offsets");
  EXPECT_EQ(spoiled([](auto& r) { r.set_stripes(8); }), "offsets");
  EXPECT_EQ(spoiled([](auto& r) { r.add_lengths(1); }), "lengths");
  EXPECT_EQ(spoiled([](auto& r) { r.add_checksums(1); }), "checksums");
  for (const auto* field : {"lengths", "output_offsets"}) {
    v1::EncodeRequest alone;
    alone.add_shards("x");
    *field == 'l' ? alone.add_lengths(1) : alone.add_output_offsets(1);
    EXPECT_EQ(field_of(alone), "region") << field;
  }
}

TEST(StripeMessage, ShardsOfARegionAtTheirLimit) {
  std::mt19937 random(11);
  for (const uint32_t stripes : {1u, 2u, kMaxStripesPerMessage}) {
    const size_t most = size_t{codec::Geometry::kMaxShards} * stripes;
    // The last one: so many that not all of them are kept.
    for (const size_t count : {most - stripes, most, most + stripes, 4 * most}) {
      v1::EncodeRequest request;
      request.set_region(7);
      request.set_shard_bytes(1);
      request.set_stripes(stripes);
      const std::vector<uint64_t> numbers(count, 1);
      request.mutable_offsets()->Assign(numbers.begin(), numbers.end());
      const auto sources = StripeMessage::Read(Cut(request.SerializeAsString(), random));
      EXPECT_EQ(codec::FieldOf(sources.status()).value_or(""), count <= most ? "" : "offsets");
      request.mutable_lengths()->Assign(numbers.begin(), numbers.end());
      request.mutable_offsets()->Truncate(static_cast<int>(std::min(count, most)));
      const auto lengths = StripeMessage::Read(Cut(request.SerializeAsString(), random));
      EXPECT_EQ(codec::FieldOf(lengths.status()).value_or(""), count <= most ? "" : "lengths");
      request.clear_lengths();
      request.mutable_output_offsets()->Assign(numbers.begin(), numbers.end());
      const auto outputs = StripeMessage::Read(Cut(request.SerializeAsString(), random));
      EXPECT_EQ(codec::FieldOf(outputs.status()).value_or(""),
                count <= most ? "" : "output_offsets");
    }
  }
}

TEST(StripeMessage, ForgetsWhatItDoesNotKnowInAGeometry) {
  v1::EncodeRequest request;
  request.mutable_geometry()->set_data_shards(7);
  const auto add_unknown = [&request] {
    v1::Geometry* geometry = request.mutable_geometry();
    geometry->GetReflection()->MutableUnknownFields(geometry)->AddVarint(15, 1);
  };
  add_unknown();
  request.add_shards("x");
  std::mt19937 random(7);
  const auto message = StripeMessage::Read(Cut(request.SerializeAsString(), random));
  ASSERT_TRUE(message.ok()) << message.status();
  EXPECT_EQ(message->geometry().data_shards(), 7u);
  const v1::Geometry& geometry = message->geometry();
  EXPECT_TRUE(geometry.GetReflection()->GetUnknownFields(geometry).empty());

  for (int i = 0; i < 70'000; ++i) add_unknown();
  const auto refused = StripeMessage::Read(Cut(request.SerializeAsString(), random));
  EXPECT_TRUE(absl::IsInvalidArgument(refused.status())) << refused.status();
}

TEST(StripeMessage, ManySmallSlicesBecomeOne) {
  v1::EncodeRequest request;
  request.add_shards(std::string(100'000, 'a'));
  const std::string bytes = request.SerializeAsString();
  std::vector<grpc::Slice> slices;
  for (const char byte : bytes) slices.emplace_back(&byte, 1);
  const auto message = StripeMessage::Read(grpc::ByteBuffer(slices.data(), slices.size()));
  ASSERT_TRUE(message.ok()) << message.status();
  EXPECT_EQ(message->shards()[0].size(), 1u);
  EXPECT_EQ(Join(message->shards()[0]), request.shards(0));
}

TEST(ProcessMessage, FindsTheRequestHoweverItIsCut) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    v1::ProcessRequest request;
    request.set_id(round % 3 == 0 ? 0 : random() * uint64_t{1} << 32);
    auto* encode = round % 2 == 0 ? request.mutable_encode() : nullptr;
    if (encode != nullptr) {
      encode->add_shards(std::string(random() % 300 + 1, 'e'));
    } else {
      request.mutable_update()->add_shards(std::string(random() % 300 + 1, 'u'));
    }
    std::string bytes = request.SerializeAsString();
    if (round % 5 == 0) bytes = std::string("\x7a\x02zz", 4) + bytes;  // an unknown field
    grpc::ByteBuffer buffer = Cut(bytes, random);
    auto message = ProcessMessage::Read(buffer);
    ASSERT_TRUE(message.ok()) << message.status();
    EXPECT_EQ(message->id, request.id());
    EXPECT_EQ(message->field, encode != nullptr ? 2 : 5);
    const auto stripe =
        StripeMessage::Read(std::move(message->slices), message->begin, message->end);
    ASSERT_TRUE(stripe.ok()) << stripe.status();
    EXPECT_EQ(Join(stripe->shards()[0]),
              encode != nullptr ? encode->shards(0) : request.update().shards(0));
  }
}

TEST(ProcessMessage, NeverFailsOtherThanByStatusOnRandomBytes) {
  std::mt19937 random(6);
  v1::ProcessRequest request;
  request.set_id(1000);
  request.mutable_encode()->add_shards("abcdefgh");
  const std::string good = request.SerializeAsString();
  int refused = 0;
  for (int round = 0; round < 50'000; ++round) {
    std::string bytes = good;
    for (unsigned flips = 1 + random() % 3; flips > 0; --flips) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    grpc::ByteBuffer buffer = Cut(bytes, random);
    auto message = ProcessMessage::Read(buffer);
    v1::ProcessRequest parsed;
    if (!message.ok()) {
      ++refused;
      EXPECT_TRUE(absl::IsInvalidArgument(message.status())) << message.status();
      continue;
    }
    ASSERT_LE(message->end, bytes.size());
    if (parsed.ParseFromString(bytes)) {
      EXPECT_EQ(message->id, parsed.id());
    }
    // Whatever it is, it can be looked at.
    StripeMessage::Read(std::move(message->slices), message->begin, message->end)
        .status()
        .IgnoreError();
  }
  EXPECT_GT(refused, 1000);
}

TEST(StripeMessage, SkipsUnknownFieldsAndTakesUnpackedIndices) {
  std::mt19937 random(2);
  const std::string bytes = std::string("\x1a\x02hi", 4) +
                            std::string("\x28\x07\x28\x81\x01", 5) +  // present: 7, 129
                            std::string("\x78\x05", 2) +              // field 15, a varint
                            std::string(
                                "\x79"
                                "12345678",
                                9) +                             // field 15, 64 bits
                            std::string("\x7b\x08\x01\x7c", 4);  // field 15, a group
  const auto message = StripeMessage::Read(Cut(bytes, random));
  ASSERT_TRUE(message.ok()) << message.status();
  EXPECT_THAT(message->indices(), ElementsAre(7, 129));
  EXPECT_EQ(Join(message->shards()[0]), "hi");
}

TEST(StripeMessage, NeverFailsOtherThanByStatusOnRandomBytes) {
  std::mt19937 random(3);
  v1::EncodeRequest request;
  request.mutable_geometry()->set_data_shards(2);
  request.add_shards("abcdefgh");
  request.add_shards("ijklmnop");
  v1::EncodeRequest of_region = request;
  of_region.clear_shards();
  of_region.set_region(UINT64_MAX);
  of_region.set_shard_bytes(8);
  for (const uint64_t number : {uint64_t{0}, UINT64_MAX}) {
    of_region.add_offsets(number);
    of_region.add_lengths(number);
    of_region.add_output_offsets(number);
  }
  const std::string good[] = {request.SerializeAsString(), of_region.SerializeAsString()};
  int refused = 0;
  for (int round = 0; round < 50'000; ++round) {
    std::string bytes = good[round % 2];
    for (unsigned flips = 1 + random() % 3; flips > 0; --flips) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    const auto message = StripeMessage::Read(Cut(bytes, random));
    if (!message.ok()) {
      ++refused;
      EXPECT_TRUE(absl::IsInvalidArgument(message.status())) << message.status();
      EXPECT_TRUE(codec::FieldOf(message.status()).has_value()) << message.status();
      continue;
    }
    size_t total = 0;
    for (codec::Shard shard : message->shards()) {
      EXPECT_LE(codec::BytesIn(shard), message->shard_bytes());
      total += Join(shard).size();  // touches every byte
    }
    EXPECT_LE(total, bytes.size());
  }
  EXPECT_GT(refused, 1000);
}

TEST(GeometryFrom, IsTheInverseOfToProto) {
  using codec::Code;
  using codec::Geometry;
  using codec::Matrix;
  for (const Geometry& geometry :
       {*Geometry::Make(Code::kXor, 255, 1), *Geometry::Make(Code::kRaid6, 255, 2),
        *Geometry::Make(Code::kReedSolomon, 4, 2, Matrix::kCauchy),
        *Geometry::Make(Code::kReedSolomon, 4, 2, Matrix::kVandermonde),
        *Geometry::Make(Code::kReedSolomon, 4, 2, Matrix::kSystematicVandermonde),
        *Geometry::MakeCustom(3, 2, {1, 0, 255, 7, 8, 0})}) {
    const auto read = GeometryFrom(ToProto(geometry));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(*read == geometry);
  }
}

TEST(GeometryFrom, TakesTheDefaultMatrixOfTheCode) {
  v1::Geometry geometry;
  geometry.set_code(v1::CODE_REED_SOLOMON);
  geometry.set_data_shards(4);
  geometry.set_parity_shards(2);
  EXPECT_EQ(GeometryFrom(geometry)->matrix(), codec::Matrix::kCauchy);
}

TEST(MessageWriter, WritesWhatProtobufReads) {
  MessageWriter writer;
  v1::Geometry geometry;
  geometry.set_data_shards(300);
  writer.AddMessage(kGeometryField, geometry);
  writer.AddVarint(kShardBytesField, uint64_t{1} << 40);
  const std::string payload(100'000, 'p');
  writer.AddBytes(kShardsField, {grpc::Slice(payload), grpc::Slice("tail")});
  writer.AddBytes(kShardsField, {});
  const std::vector<uint32_t> indices = {0, 127, 128, 255};
  writer.AddPackedUint32(kIndicesField, indices);
  writer.AddPackedUint32(kWantedField, {});
  const uint64_t bytes = writer.bytes();
  grpc::Slice slice;
  const grpc::ByteBuffer buffer = writer.Finish();
  EXPECT_EQ(buffer.Length(), bytes);
  ASSERT_TRUE(buffer.DumpToSingleSlice(&slice).ok());
  v1::ReconstructRequest request;
  ASSERT_TRUE(request.ParseFromArray(slice.begin(), static_cast<int>(slice.size())));
  EXPECT_EQ(request.geometry().data_shards(), 300u);
  EXPECT_EQ(request.shard_bytes(), uint64_t{1} << 40);
  ASSERT_EQ(request.shards_size(), 2);
  EXPECT_EQ(request.shards(0), payload + "tail");
  EXPECT_EQ(request.shards(1), "");
  EXPECT_THAT(request.present(), ElementsAre(0, 127, 128, 255));
  EXPECT_EQ(request.wanted_size(), 0);
}

TEST(MessageWriter, PutsAMessageInAMessage) {
  for (const bool with_payload : {false, true}) {
    MessageWriter inner;
    inner.AddVarint(kShardBytesField, 7);
    const std::vector<uint32_t> sums = {1, 0xffffffff};
    inner.AddPackedFixed32(kChecksumsField, sums);
    if (with_payload) {
      inner.AddBytes(kShardsField, {grpc::Slice("payload"), grpc::Slice("more")});
      inner.AddBytes(kShardsField, {grpc::Slice("second")});
    }
    MessageWriter writer;
    writer.AddVarint(kIdField, 300);
    writer.AddMessage(v1::ProcessResponse::kEncodeFieldNumber, std::move(inner));
    const uint64_t bytes = writer.bytes();
    const grpc::ByteBuffer buffer = writer.Finish();
    EXPECT_EQ(buffer.Length(), bytes);
    grpc::Slice slice;
    ASSERT_TRUE(buffer.DumpToSingleSlice(&slice).ok());
    v1::ProcessResponse response;
    ASSERT_TRUE(response.ParseFromArray(slice.begin(), static_cast<int>(slice.size())));
    EXPECT_EQ(response.id(), 300u);
    EXPECT_EQ(response.encode().shard_bytes(), 7u);
    EXPECT_THAT(response.encode().checksums(), ElementsAre(1u, 0xffffffffu));
    if (with_payload) {
      EXPECT_THAT(response.encode().shards(), ElementsAre("payloadmore", "second"));
    } else {
      EXPECT_TRUE(response.encode().shards().empty());
    }
  }
}

TEST(Status, SurvivesTheWireWithItsDelay) {
  const absl::Status back =
      FromGrpc(ToGrpc(Overloaded("busy", absl::Milliseconds(1500) + absl::Nanoseconds(7))));
  EXPECT_TRUE(absl::IsResourceExhausted(back));
  EXPECT_EQ(back.message(), "busy");
  EXPECT_EQ(RetryDelayOf(back), absl::Milliseconds(1500) + absl::Nanoseconds(7));
  EXPECT_FALSE(RetryDelayOf(absl::InternalError("")).has_value());
}

TEST(Status, SurvivesTheWireWithItsField) {
  const absl::Status status =
      codec::FieldError(absl::StatusCode::kFailedPrecondition, "shards[3]", "1", "2");
  const absl::Status back = FromGrpc(ToGrpc(status));
  EXPECT_EQ(back.code(), status.code());
  EXPECT_EQ(back.message(), status.message());
  EXPECT_EQ(codec::FieldOf(back), "shards[3]");
}

TEST(Status, EveryCodeSurvivesTheWire) {
  for (int code = 0; code <= 16; ++code) {
    const absl::Status status(static_cast<absl::StatusCode>(code), code == 0 ? "" : "why");
    EXPECT_EQ(FromGrpc(ToGrpc(status)), status);
  }
}

}  // namespace
}  // namespace parity::wire
