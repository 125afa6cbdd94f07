// What the client makes of answers that were damaged on the way. Requests: batch_request_test.cc.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client/remote_only.h"
#include "gmock/gmock.h"
#include "grpcpp/grpcpp.h"
#include "gtest/gtest.h"
#include "parity/checksum/crc32c.h"
#include "parity/codec/field_error.h"
#include "parity/v1/parity.grpc.pb.h"

namespace parity::testing {
namespace {

using ::testing::HasSubstr;

// Encodes XOR as it should be, but for what a test changes in the answer.
class ChangingServer : public v1::ParityService::Service {
 public:
  ChangingServer() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }

  grpc::Status Encode(grpc::ServerContext*, const v1::EncodeRequest* request,
                      v1::EncodeResponse* response) override {
    request_ = *request;
    const std::string parity(request->shard_bytes(), 'a' ^ 'b');
    response->set_shard_bytes(request->shard_bytes());
    response->add_shards(parity);
    if (request->checksums_size() > 0) response->add_checksums(ChecksumOf(parity));
    change(*response);
    return grpc::Status::OK;
  }

  static uint32_t ChecksumOf(const std::string& bytes) {
    return checksum::Crc32c({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  const v1::EncodeRequest& request() const { return request_; }

  std::function<void(v1::EncodeResponse&)> change = [](v1::EncodeResponse&) {};

 private:
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
  v1::EncodeRequest request_;
};

absl::Status Encode(client::Coder& coder) {
  const std::vector<uint8_t> a(1'000, 'a'), b(1'000, 'b');
  std::vector<uint8_t> parity(1'000, 0xee);
  absl::Status status =
      coder.Encode(*codec::Geometry::Make(codec::Code::kXor, 2, 1),
                   {client::ShardBytes(a), client::ShardBytes(b)}, 1'000, {parity.data()});
  // What is not right is not handed out.
  EXPECT_EQ(parity[500], status.ok() ? 'a' ^ 'b' : 0xee);
  return status;
}

TEST(ClientChecksums, TravelBothWays) {
  ChangingServer server;
  const auto client = client::RemoteClient(server.address());
  EXPECT_EQ(Encode(*client), absl::OkStatus());
  ASSERT_EQ(server.request().checksums_size(), 2);
  EXPECT_EQ(server.request().checksums(0), ChangingServer::ChecksumOf(std::string(1'000, 'a')));
  EXPECT_EQ(server.request().checksums(1), ChangingServer::ChecksumOf(std::string(1'000, 'b')));
}

TEST(ClientChecksums, ShowAnAnswerThatWasDamagedOnTheWay) {
  ChangingServer server;
  server.change = [](v1::EncodeResponse& response) { (*response.mutable_shards(0))[999] ^= 1; };
  std::string logged;
  client::ClientOptions options = client::RemoteOnly(server.address());
  options.log = [&logged](const std::string& line) { logged += line + "\n"; };
  const auto client = *client::Client::Make(options);
  const absl::Status status = Encode(*client);
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_EQ(codec::FieldOf(status), "out[0]");
  EXPECT_THAT(std::string(status.message()), HasSubstr("on the way from the server"));
  EXPECT_EQ(client->GetStats().damaged_shards, 2u) << "it is tried once more";
  EXPECT_THAT(logged, HasSubstr(server.address() + ": out[0]: got CRC32C"));
}

TEST(ClientChecksums, MustComeBackIfTheyWereSent) {
  ChangingServer server;
  server.change = [](v1::EncodeResponse& response) { response.clear_checksums(); };
  client::ClientOptions options = client::RemoteOnly(server.address());
  options.log = [](const std::string&) {};
  EXPECT_TRUE(absl::IsInternal(Encode(**client::Client::Make(options))));
}

TEST(ClientChecksums, AreForRequestsOfSomeSize) {
  ChangingServer server;
  client::ClientOptions options = client::RemoteOnly(server.address());
  for (const uint64_t from : {3'000, 3'001}) {
    options.connection.checksum_from_bytes = from;
    EXPECT_EQ(Encode(**client::Client::Make(options)), absl::OkStatus());
    EXPECT_EQ(server.request().checksums_size(), from == 3'000 ? 2 : 0);
  }
}

}  // namespace
}  // namespace parity::testing
