// The reader and the writer of shard-carrying messages against protobuf's own.
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parity/codec/field_error.h"
#include "parity/v1/parity.pb.h"
#include "parity/wire/message_writer.h"
#include "parity/wire/status.h"
#include "parity/wire/stripe_message.h"

namespace parity::wire {
namespace {

using ::testing::ElementsAre;

// The bytes as slices of random lengths, as a network would cut them.
grpc::ByteBuffer Cut(const std::string& bytes, std::mt19937& random) {
  std::vector<grpc::Slice> slices;
  for (size_t offset = 0; offset < bytes.size();) {
    const size_t run = std::min<size_t>(random() % 40, bytes.size() - offset);
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
  }
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
  const std::string good = request.SerializeAsString();
  int refused = 0;
  for (int round = 0; round < 50'000; ++round) {
    std::string bytes = good;
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
