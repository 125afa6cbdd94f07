// Bad input of every kind that the proto allows: the status, the field and the values, and a server
// that goes on serving.
#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "grpcpp/generic/generic_stub.h"
#include "gtest/gtest.h"
#include "parity/v1/parity.grpc.pb.h"
#include "parity/wire/limits.h"
#include "server_fixture.h"

namespace parity::testing {
namespace {

using ::testing::HasSubstr;

// Sends bytes as they are to a method of the service.
grpc::Status Send(const RunningServer& server, const std::string& method, const std::string& bytes,
                  std::string* response_bytes = nullptr) {
  grpc::GenericStub stub(server.Connect());
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const grpc::Slice slice(bytes);
  const grpc::ByteBuffer request(&slice, 1);
  grpc::ByteBuffer response;
  grpc::Status status;
  auto call =
      stub.PrepareUnaryCall(&context, "/parity.v1.ParityService/" + method, request, &queue);
  call->StartCall();
  call->Finish(&response, &status, &status);
  void* tag;
  bool ok;
  EXPECT_TRUE(queue.Next(&tag, &ok));
  if (response_bytes != nullptr && status.ok()) {
    grpc::Slice whole;
    EXPECT_TRUE(response.DumpToSingleSlice(&whole).ok());
    response_bytes->assign(reinterpret_cast<const char*>(whole.begin()), whole.size());
  }
  return status;
}

v1::EncodeRequest GoodEncode() {
  v1::EncodeRequest request;
  request.mutable_geometry()->set_code(v1::CODE_REED_SOLOMON);
  request.mutable_geometry()->set_data_shards(3);
  request.mutable_geometry()->set_parity_shards(2);
  for (const char* shard : {"one.", "two.", "six."}) request.add_shards(shard);
  return request;
}

v1::ReconstructRequest GoodReconstruct() {
  v1::ReconstructRequest request;
  *request.mutable_geometry() = GoodEncode().geometry();
  for (uint32_t index : {0, 2, 4}) {
    request.add_present(index);
    request.add_shards("four");
  }
  request.add_wanted(1);
  return request;
}

v1::VerifyRequest GoodVerify() {
  v1::VerifyRequest request;
  *request.mutable_geometry() = GoodEncode().geometry();
  for (int i = 0; i < 5; ++i) request.add_shards("four");
  return request;
}

template <class Request>
struct Case {
  const char* what;
  std::function<void(Request&)> spoil;
  grpc::StatusCode code;
  const char* field;
  const char* got_and_want;  // both stand in the message
};

template <class Request>
void ExpectRefusals(const std::string& method, const Request& good,
                    const std::vector<Case<Request>>& cases) {
  RunningServer server;
  for (const auto& bad : cases) {
    Request request = good;
    bad.spoil(request);
    const grpc::Status status = Send(server, method, request.SerializeAsString());
    EXPECT_EQ(status.error_code(), bad.code) << bad.what << ": " << status.error_message();
    EXPECT_EQ(FieldIn(status), bad.field) << bad.what << ": " << status.error_message();
    EXPECT_THAT(status.error_message(), HasSubstr(bad.got_and_want)) << bad.what;
    EXPECT_THAT(status.error_message(), ::testing::StartsWith(std::string(bad.field) + ": got "));
  }
  EXPECT_TRUE(Send(server, method, good.SerializeAsString()).ok()) << "the server still serves";
}

constexpr grpc::StatusCode kInvalid = grpc::StatusCode::INVALID_ARGUMENT;

TEST(BadRequest, EncodeNamesTheFieldTheValueAndWhatIsWanted) {
  using Request = v1::EncodeRequest;
  ExpectRefusals<Request>(
      "Encode", GoodEncode(),
      {{"no geometry", [](Request& r) { r.clear_geometry(); }, kInvalid, "geometry.code", "got 0"},
       {"unknown code",
        [](Request& r) { r.mutable_geometry()->set_code(static_cast<v1::Code>(77)); }, kInvalid,
        "geometry.code", "got 77"},
       {"unknown matrix",
        [](Request& r) { r.mutable_geometry()->set_matrix(static_cast<v1::Matrix>(9)); }, kInvalid,
        "geometry.matrix", "got 9"},
       {"matrix for XOR",
        [](Request& r) {
          r.mutable_geometry()->set_code(v1::CODE_XOR);
          r.mutable_geometry()->set_parity_shards(1);
          r.mutable_geometry()->set_matrix(v1::MATRIX_CAUCHY);
        },
        kInvalid, "geometry.matrix", "got 1"},
       {"k = 0", [](Request& r) { r.mutable_geometry()->set_data_shards(0); }, kInvalid,
        "geometry.data_shards", "got 0"},
       {"m = 0", [](Request& r) { r.mutable_geometry()->set_parity_shards(0); }, kInvalid,
        "geometry.parity_shards", "got 0"},
       {"a custom matrix without factors",
        [](Request& r) { r.mutable_geometry()->set_matrix(v1::MATRIX_CUSTOM); }, kInvalid,
        "geometry.generator", "got 0 bytes, want 6: 2 rows of 3"},
       {"a custom matrix that leaves a data shard out",
        [](Request& r) {
          r.mutable_geometry()->set_matrix(v1::MATRIX_CUSTOM);
          r.mutable_geometry()->set_generator(std::string("\1\0\1\1\0\2", 6));
        },
        kInvalid, "geometry.generator", "got only zeros for data shard 1"},
       {"a custom matrix for XOR",
        [](Request& r) {
          r.mutable_geometry()->set_code(v1::CODE_XOR);
          r.mutable_geometry()->set_parity_shards(1);
          r.mutable_geometry()->set_matrix(v1::MATRIX_CUSTOM);
          r.mutable_geometry()->set_generator("123");
        },
        kInvalid, "geometry.matrix", "got 4"},
       {"factors without a custom matrix",
        [](Request& r) { r.mutable_geometry()->set_generator("123456"); }, kInvalid,
        "geometry.generator", "got 6 bytes, want none"},
       {"k + m = 257",
        [](Request& r) {
          r.mutable_geometry()->set_data_shards(255);
          r.mutable_geometry()->set_parity_shards(2);
        },
        kInvalid, "geometry.parity_shards", "got 2"},
       {"k + m wraps around",
        [](Request& r) { r.mutable_geometry()->set_parity_shards(UINT32_MAX); }, kInvalid,
        "geometry.parity_shards", "got 4294967295"},
       {"XOR with two parity shards",
        [](Request& r) { r.mutable_geometry()->set_code(v1::CODE_XOR); }, kInvalid,
        "geometry.parity_shards", "got 2"},
       {"RAID-6 with three",
        [](Request& r) {
          r.mutable_geometry()->set_code(v1::CODE_RAID6);
          r.mutable_geometry()->set_parity_shards(3);
        },
        kInvalid, "geometry.parity_shards", "got 3"},
       {"no shards", [](Request& r) { r.clear_shards(); }, kInvalid, "shards", "got none"},
       {"a shard too few", [](Request& r) { r.mutable_shards()->RemoveLast(); }, kInvalid, "shards",
        "got 2"},
       {"a shard too many", [](Request& r) { r.add_shards("ten."); }, kInvalid, "shards", "got 4"},
       {"more shards than any stripe has",
        [](Request& r) {
          for (int i = 0; i < 1000; ++i) r.add_shards("");
        },
        kInvalid, "shards", "got more than 257"},
       {"empty shards",
        [](Request& r) {
          for (auto& shard : *r.mutable_shards()) shard.clear();
        },
        kInvalid, "shard_bytes", "got empty shards"},
       {"mismatched lengths", [](Request& r) { r.mutable_shards(2)->append("x"); }, kInvalid,
        "shards[2]", "got 5 bytes, want 4 bytes"},
       {"a shard longer than shard_bytes", [](Request& r) { r.set_shard_bytes(3); }, kInvalid,
        "shards[0]", "got 4 bytes, want at most shard_bytes (3)"},
       {"both forms",
        [](Request& r) {
          r.set_shard_bytes(4);
          r.set_packed_shards("one.two.six.");
        },
        kInvalid, "shards", "got shards and packed_shards"},
       {"packed without shard_bytes",
        [](Request& r) {
          r.clear_shards();
          r.set_packed_shards("one.two.six.");
        },
        kInvalid, "shard_bytes", "got 0"},
       {"packed, not a multiple",
        [](Request& r) {
          r.clear_shards();
          r.set_shard_bytes(5);
          r.set_packed_shards("one.two.six.");
        },
        kInvalid, "packed_shards", "got 12 bytes, want a multiple of shard_bytes (5)"},
       {"packed, wrong number",
        [](Request& r) {
          r.clear_shards();
          r.set_shard_bytes(3);
          r.set_packed_shards("one.two.six.");
        },
        kInvalid, "packed_shards", "got 4"},
       {"packed, empty",
        [](Request& r) {
          r.clear_shards();
          r.set_shard_bytes(4);
          r.set_packed_shards("");
        },
        kInvalid, "shards", "got none"},
       {"shard_bytes beyond all memory", [](Request& r) { r.set_shard_bytes(UINT64_MAX); },
        grpc::StatusCode::RESOURCE_EXHAUSTED, "shard_bytes", "got 18446744073709551615"}});
}

TEST(BadRequest, ReconstructNamesTheFieldTheValueAndWhatIsWanted) {
  using Request = v1::ReconstructRequest;
  ExpectRefusals<Request>(
      "Reconstruct", GoodReconstruct(),
      {{"no indices", [](Request& r) { r.clear_present(); }, kInvalid, "present", "got none"},
       {"too few shards",
        [](Request& r) {
          r.mutable_present()->RemoveLast();
          r.mutable_shards()->RemoveLast();
        },
        grpc::StatusCode::FAILED_PRECONDITION, "present", "got 2"},
       {"more indices than shards", [](Request& r) { r.add_present(3); }, kInvalid, "shards",
        "got 3"},
       {"an index twice", [](Request& r) { r.set_present(2, 0); }, kInvalid, "present[2]", "got 0"},
       {"an index out of range", [](Request& r) { r.set_present(2, 5); }, kInvalid, "present[2]",
        "got 5"},
       {"wanted out of range", [](Request& r) { r.set_wanted(0, 5); }, kInvalid, "wanted[0]",
        "got 5"},
       {"wanted twice", [](Request& r) { r.add_wanted(1); }, kInvalid, "wanted[1]", "got 1"},
       {"wanted, but present", [](Request& r) { r.set_wanted(0, 4); }, kInvalid, "wanted[0]",
        "got 4"},
       {"nothing to compute",
        [](Request& r) {
          r.clear_wanted();
          r.clear_present();
          r.clear_shards();
          for (uint32_t i = 0; i < 5; ++i) {
            r.add_present(i);
            r.add_shards("four");
          }
        },
        kInvalid, "wanted", "got none"},
       {"a flood of indices",
        [](Request& r) {
          for (int i = 0; i < 100'000; ++i) r.add_wanted(1);
        },
        kInvalid, "wanted", "got more than 257"}});
}

TEST(BadRequest, VerifyNamesTheFieldTheValueAndWhatIsWanted) {
  using Request = v1::VerifyRequest;
  ExpectRefusals<Request>(
      "Verify", GoodVerify(),
      {{"without parity", [](Request& r) { r.mutable_shards()->RemoveLast(); }, kInvalid, "shards",
        "got 4"},
       {"zeros without end", [](Request& r) { r.set_shard_bytes(uint64_t{1} << 62); },
        grpc::StatusCode::RESOURCE_EXHAUSTED, "shard_bytes", "got 4611686018427387904"}});
}

TEST(BadRequest, EveryTruncationOfAMessageIsRefused) {
  RunningServer server;
  v1::EncodeRequest request = GoodEncode();
  request.set_shard_bytes(4);
  const std::string whole = request.SerializeAsString();
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const grpc::Status status = Send(server, "Encode", whole.substr(0, bytes));
    EXPECT_EQ(status.error_code(), kInvalid) << bytes << " of " << whole.size() << " bytes";
    EXPECT_NE(FieldIn(status), "") << bytes << ": " << status.error_message();
  }
  EXPECT_TRUE(Send(server, "Encode", whole).ok());
}

TEST(BadRequest, MalformedBytesNameTheMessage) {
  RunningServer server;
  const std::vector<std::string> malformed = {
      std::string("\x1a\xff\xff\xff\xff\x0f", 6),              // a shard of 4 GiB that is not there
      std::string("\x0a\x7f\x08\x01", 4),                      // a geometry longer than the message
      std::string("\x0a\x07\x08\x01\x18\x02\x20\x01\x0c", 9),  // a geometry with a group's end
      std::string("\x2a\x7f\x01\x01", 4),  // packed indices longer than the message
      std::string("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12),  // an endless varint
      std::string("\x00", 1),                                               // field number 0
      std::string("\x0c", 1),      // a group that only ends
      std::string(5000, '\x0b')};  // groups without end
  for (const std::string& bytes : malformed) {
    const grpc::Status status = Send(server, "Encode", bytes);
    EXPECT_EQ(status.error_code(), kInvalid) << ::testing::PrintToString(bytes.substr(0, 12));
    EXPECT_EQ(FieldIn(status), "message") << status.error_message();
  }
}

// Field 15 holds `padding` zero bytes that a reader skips: a message of any length.
std::string Padded(const v1::EncodeRequest& request, size_t total) {
  std::string bytes = request.SerializeAsString();
  const size_t room = total - bytes.size() - 5;
  bytes += '\x7a';
  for (size_t i = 0, rest = room; i < 4; ++i, rest >>= 7) {
    bytes += static_cast<char>((rest & 0x7f) | (i < 3 ? 0x80 : 0));
  }
  bytes.resize(total);
  return bytes;
}

TEST(BadRequest, TheMessageLimitHoldsToTheByte) {
  RunningServer server;
  constexpr uint64_t kLimit = wire::kMaxMessageBytes;
  EXPECT_TRUE(Send(server, "Encode", Padded(GoodEncode(), kLimit - 1)).ok());
  EXPECT_TRUE(Send(server, "Encode", Padded(GoodEncode(), kLimit)).ok());
  const grpc::Status beyond = Send(server, "Encode", Padded(GoodEncode(), kLimit + 1));
  EXPECT_EQ(beyond.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(FieldIn(beyond), "message");
  EXPECT_THAT(beyond.error_message(), HasSubstr("got 67108865 bytes, want at most 67108864"));
  EXPECT_THAT(beyond.error_message(), HasSubstr("slices"));
  const grpc::Status far_beyond = Send(server, "Encode", Padded(GoodEncode(), kLimit * 2));
  EXPECT_EQ(far_beyond.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(Send(server, "Encode", GoodEncode().SerializeAsString()).ok());
}

TEST(BadRequest, TheShardLimitHoldsToTheShard) {
  RunningServer server;
  v1::EncodeRequest request;
  request.mutable_geometry()->set_code(v1::CODE_REED_SOLOMON);
  request.mutable_geometry()->set_parity_shards(5);
  for (uint32_t k : {250u, 251u, 252u}) {
    request.mutable_geometry()->set_data_shards(k);
    while (request.shards_size() < static_cast<int>(k)) request.add_shards("x");
    const grpc::Status status = Send(server, "Encode", request.SerializeAsString());
    if (k + 5 <= 256) {
      EXPECT_TRUE(status.ok()) << k << ": " << status.error_message();
    } else {
      EXPECT_EQ(FieldIn(status), "geometry.parity_shards") << status.error_message();
    }
  }
}

TEST(BadRequest, AResponseBeyondTheLimitIsRefusedBeforeItIsComputed) {
  RunningServer server;
  v1::EncodeRequest request;
  request.mutable_geometry()->set_code(v1::CODE_REED_SOLOMON);
  request.mutable_geometry()->set_data_shards(1);
  request.mutable_geometry()->set_parity_shards(254);
  request.add_shards(std::string(1 << 20, 'x'));
  const grpc::Status status = Send(server, "Encode", request.SerializeAsString());
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(FieldIn(status), "shard_bytes") << status.error_message();
}

// Expanding it would cost more than the limit before anybody could look.
TEST(BadRequest, ACompressedMessageIsRefused) {
  RunningServer server;
  const auto stub = v1::ParityService::NewStub(server.Connect());
  v1::EncodeRequest request = GoodEncode();
  request.set_shard_bytes(100'000);
  request.set_shards(0, std::string(100'000, '\0'));
  v1::EncodeResponse response;
  grpc::ClientContext plain;
  EXPECT_TRUE(stub->Encode(&plain, request, &response).ok());
  grpc::ClientContext compressed;
  compressed.set_compression_algorithm(GRPC_COMPRESS_GZIP);
  EXPECT_EQ(stub->Encode(&compressed, request, &response).error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
}

TEST(BadRequest, AnUnknownMethodIsUnimplemented) {
  RunningServer server;
  EXPECT_EQ(Send(server, "Decode", "").error_code(), grpc::StatusCode::UNIMPLEMENTED);
}

}  // namespace
}  // namespace parity::testing
