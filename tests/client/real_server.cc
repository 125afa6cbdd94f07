#include "real_server.h"

#include <stdlib.h>

#include <filesystem>

#include "gtest/gtest.h"
#include "parity/engine/worker_plan.h"
#include "parity/kernels/dispatch.h"

namespace parity::client {
namespace {

// gRPC reads its settings when it is first used.
class Process : public ::testing::Environment {
 public:
  void SetUp() override { rpc::ConfigureProcess(); }
};
const ::testing::Environment* const kProcess = ::testing::AddGlobalTestEnvironment(new Process);

}  // namespace

RealServer::RealServer(Parts parts) {
  char name[] = "/tmp/parity-client-test.XXXXXX";
  directory_ = mkdtemp(name);
  if (parts.rings) StartRings();
  if (parts.grpc) StartGrpc();
}

RealServer::~RealServer() {
  StopGrpc();
  StopRings();
  std::filesystem::remove_all(directory_);
}

void RealServer::StartRings() {
  rings::ServerOptions options;
  options.paths = {path()};
  options.plan = *engine::PlanWorkers(std::nullopt);
  options.table = *kernels::SelectTable("auto");
  auto server = rings::Server::Start(options);
  ASSERT_TRUE(server.ok()) << server.status();
  rings_ = *std::move(server);
}

void RealServer::StopRings() {
  if (rings_ != nullptr) rings_->Stop(absl::Seconds(1));
  rings_ = nullptr;
}

void RealServer::StartGrpc() {
  rpc::ServerOptions options;
  options.endpoints = {*endpoint::Parse("listen", target())};
  options.plan = *engine::PlanWorkers(std::nullopt);
  options.table = *kernels::SelectTable("auto");
  options.usable_kernels = {options.table->name};
  auto server = rpc::Server::Start(options);
  ASSERT_TRUE(server.ok()) << server.status();
  grpc_ = *std::move(server);
}

void RealServer::StopGrpc() {
  if (grpc_ != nullptr) grpc_->Stop(absl::Seconds(1));
  grpc_ = nullptr;
}

}  // namespace parity::client
