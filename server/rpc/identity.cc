#include "identity.h"

#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "grpc/grpc_security_constants.h"
#include "grpcpp/security/auth_context.h"

namespace parity::rpc {
namespace {

constexpr char kUnix[] = "unix";

// Of "ipv4:1.2.3.4:5" and "ipv6:%5B::1%5D:5", as gRPC names peers: what is between the colons.
std::string AddressIn(const std::string& peer) {
  const std::string decoded = absl::StrReplaceAll(peer, {{"%5B", "["}, {"%5D", "]"}, {"%25", "%"}});
  absl::string_view address = decoded;
  if (!absl::ConsumePrefix(&address, "ipv4:")) absl::ConsumePrefix(&address, "ipv6:");
  address = address.substr(0, address.rfind(':'));
  absl::ConsumePrefix(&address, "[");
  absl::ConsumeSuffix(&address, "]");
  absl::ConsumePrefix(&address, "::ffff:");
  return std::string(address);
}

}  // namespace

bool IsOverTcp(const grpc::ServerContext& context) {
  return !absl::StartsWith(context.peer(), kUnix);
}

std::string IdentityOf(const grpc::ServerContext& context) {
  const std::shared_ptr<const grpc::AuthContext> authentication = context.auth_context();
  const auto names = authentication->FindPropertyValues(GRPC_X509_SAN_PROPERTY_NAME);
  if (!names.empty()) return {names.front().data(), names.front().size()};
  const std::string peer = context.peer();
  return absl::StartsWith(peer, kUnix) ? kUnix : AddressIn(peer);
}

}  // namespace parity::rpc
