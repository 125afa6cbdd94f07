#include "probe.h"

#include <chrono>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "grpcpp/client_context.h"
#include "grpcpp/create_channel.h"
#include "parity/endpoint/endpoint.h"

namespace parity {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

constexpr std::chrono::seconds kPatience{5};

absl::StatusOr<endpoint::Endpoint> Address(const rpc::ServerOptions& server) {
  for (const endpoint::Endpoint& endpoint : server.endpoints) {
    if (endpoint.is_unix()) return endpoint;
  }
  if (server.tls.has_value()) {
    return absl::InvalidArgumentError(
        "probe: got TLS on every address, want a Unix socket to ask on: add --listen unix:PATH");
  }
  endpoint::Endpoint endpoint = server.endpoints.front();
  // What listens on every address does so on that of the loopback interface.
  if (endpoint.host == "0.0.0.0") endpoint.host = "127.0.0.1";
  if (endpoint.host == "::") endpoint.host = "::1";
  return endpoint;
}

}  // namespace

absl::Status Probe(const rpc::ServerOptions& server) {
  const absl::StatusOr<endpoint::Endpoint> address = Address(server);
  if (!address.ok()) return address.status();
  const auto stub = grpc::health::v1::Health::NewStub(
      grpc::CreateChannel(address->ToString(), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  HealthCheckResponse response;
  const grpc::Status status = stub->Check(&context, HealthCheckRequest(), &response);
  if (!status.ok()) {
    return absl::UnavailableError(absl::StrCat(address->ToString(), ": ", status.error_message()));
  }
  if (response.status() != HealthCheckResponse::SERVING) {
    return absl::UnavailableError(absl::StrCat(
        address->ToString(), ": ", HealthCheckResponse::ServingStatus_Name(response.status())));
  }
  return absl::OkStatus();
}

}  // namespace parity
