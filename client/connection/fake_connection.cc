#include "parity/client/fake_connection.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "parity/codec/field_error.h"

namespace parity::client {

FakeOutcome FakeOutcome::Fails(absl::Status status) { return FailsAfter(0, std::move(status)); }

FakeOutcome FakeOutcome::FailsAfter(size_t done, absl::Status status) {
  FakeOutcome outcome;
  outcome.status = std::move(status);
  outcome.done = done;
  return outcome;
}

FakeOutcome FakeOutcome::Waits() {
  FakeOutcome outcome;
  outcome.waits = true;
  return outcome;
}

FakeOutcome FakeOutcome::Corrupts(size_t output, size_t offset) {
  FakeOutcome outcome;
  outcome.corrupts = Byte{output, offset};
  return outcome;
}

FakeOutcome FakeOutcome::PushesBack(absl::Duration delay) {
  return Fails(OverloadedError("the fake server was told to be overloaded", delay));
}

FakeOutcome FakeOutcome::LosesShard(size_t shard) {
  return Fails(codec::FieldError(absl::StatusCode::kDataLoss, absl::StrCat("shards[", shard, "]"),
                                 "a wrong checksum", "the right one"));
}

FakeOutcome FakeOutcome::Dies() {
  FakeOutcome outcome;
  outcome.dies = true;
  return outcome;
}

FakeConnection::FakeConnection(std::shared_ptr<FakeServer> server) : server_(std::move(server)) {
  const std::lock_guard<std::mutex> lock(server_->mutex_);
  ++server_->connections_;
}

FakeConnection::~FakeConnection() {
  const std::lock_guard<std::mutex> lock(server_->mutex_);
  --server_->connections_;
}

absl::Status FakeConnection::Run(const Request& request, const CallOptions& options) {
  absl::Status status = server_->Run(request, options);
  if (absl::IsResourceExhausted(status) && codec::FieldOf(status) == "message") {
    const std::lock_guard<std::mutex> lock(server_->mutex_);
    max_request_bytes_.store(server_->max_request_bytes_, std::memory_order_relaxed);
  }
  return status;
}

absl::StatusOr<ServerInfo> FakeConnection::GetServerInfo(const CallOptions& options) {
  return server_->GetServerInfo(options);
}

absl::StatusOr<Buffer> FakeConnection::Allocate(size_t bytes, const CallOptions&) {
  return AllocateBuffer(bytes);
}

uint64_t FakeConnection::MaxRequestBytes() {
  return max_request_bytes_.load(std::memory_order_relaxed);
}

absl::Time FakeConnection::Tick(absl::Time) { return absl::InfiniteFuture(); }

std::function<absl::StatusOr<std::unique_ptr<Connection>>(const std::string& address)> FakeConnect(
    std::map<std::string, std::shared_ptr<FakeServer>> servers) {
  return [servers = std::move(servers)](
             const std::string& address) -> absl::StatusOr<std::unique_ptr<Connection>> {
    const auto server = servers.find(address);
    if (server == servers.end()) {
      return codec::InvalidField("targets", address, "the address of a fake server");
    }
    return std::make_unique<FakeConnection>(server->second);
  };
}

}  // namespace parity::client
