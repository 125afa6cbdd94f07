#include "server_fixture.h"

#include <stdlib.h>

#include <filesystem>
#include <random>
#include <stdexcept>
#include <utility>

#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "parity/engine/worker_plan.h"
#include "parity/kernels/dispatch.h"
#include "parity/status/v1/status.pb.h"

namespace parity::testing {
namespace {

// gRPC reads its settings when it is first used.
class Process : public ::testing::Environment {
 public:
  void SetUp() override { rpc::ConfigureProcess(); }
};
const ::testing::Environment* const kProcess = ::testing::AddGlobalTestEnvironment(new Process);

}  // namespace

RunningServer::RunningServer(const std::string& directory)
    : RunningServer(rpc::Limits(), directory) {}

RunningServer::RunningServer(const rpc::Limits& limits, const std::string& directory,
                             std::optional<rpc::TlsFiles> tls,
                             std::shared_ptr<const region::RegionTable> regions,
                             listen::PeerRule unix_peers, bool reflection) {
  if (directory.empty()) {
    char name[] = "/tmp/parity-rpc-test.XXXXXX";
    own_directory_ = mkdtemp(name);
  }
  const std::string& place = directory.empty() ? own_directory_ : directory;
  rpc::ServerOptions options;
  options.endpoints = {*endpoint::Parse("listen", "127.0.0.1:0"),
                       *endpoint::Parse("listen", "unix:" + place + "/parityd.sock")};
  options.plan = *engine::PlanWorkers(std::nullopt);
  options.table = *kernels::SelectTable("auto");
  options.usable_kernels = {options.table->name};
  options.limits = limits;
  options.tls = std::move(tls);
  options.regions = std::move(regions);
  options.unix_peers = std::move(unix_peers);
  options.reflection = reflection;
  auto server = rpc::Server::Start(options);
  if (!server.ok()) throw std::runtime_error(server.status().ToString());
  server_ = *std::move(server);
}

RunningServer::~RunningServer() {
  if (server_ != nullptr) Stop(absl::Seconds(5));
  if (!own_directory_.empty()) std::filesystem::remove_all(own_directory_);
}

std::string RunningServer::tcp() const { return server_->endpoints()[0].ToString(); }
std::string RunningServer::unix_socket() const { return server_->endpoints()[1].ToString(); }

std::shared_ptr<grpc::Channel> RunningServer::Connect() const {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(tcp(), grpc::InsecureChannelCredentials(), arguments);
}

void RunningServer::Stop(absl::Duration grace) {
  server_->Stop(grace);
  server_ = nullptr;
}

v1::GetServerStatsResponse StatsOf(v1::ParityService::Stub& stub) {
  grpc::ClientContext context;
  v1::GetServerStatsResponse stats;
  const grpc::Status status = stub.GetServerStats(&context, {}, &stats);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return stats;
}

void AwaitNothingHeld(v1::ParityService::Stub& stub) {
  const absl::Time give_up = absl::Now() + absl::Seconds(20);
  while (StatsOf(stub).held_bytes() > 0) {
    ASSERT_LT(absl::Now(), give_up) << StatsOf(stub).held_bytes() << " bytes are still held";
  }
}

std::vector<uint8_t> RandomBytes(size_t bytes, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> result(bytes);
  for (uint8_t& byte : result) byte = static_cast<uint8_t>(random());
  return result;
}

std::string FieldIn(const grpc::Status& status) {
  status::v1::Status details;
  if (!details.ParseFromString(status.error_details()) || details.details_size() != 1) return "";
  if (details.code() != status.error_code() || details.message() != status.error_message())
    return "";
  if (details.details(0).type_url() != "type.googleapis.com/google.rpc.BadRequest") return "";
  status::v1::BadRequest bad_request;
  if (!bad_request.ParseFromString(details.details(0).value())) return "";
  if (bad_request.field_violations_size() != 1) return "";
  if (bad_request.field_violations(0).description() != status.error_message()) return "";
  return bad_request.field_violations(0).field();
}

}  // namespace parity::testing
