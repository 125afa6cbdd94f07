#include "client_rule.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "grpc/grpc_security_constants.h"
#include "grpcpp/security/auth_context.h"
#include "identity.h"
#include "parity/codec/field_error.h"

namespace parity::rpc {
namespace {

// Names of a certificate that are told to a client that may not call.
constexpr size_t kMaxToldNames = 4;
constexpr size_t kMaxToldBytes = 128;

// As certificates' addresses are written, if it is an address.
std::string Canonical(const std::string& name) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  in6_addr address;
  for (const int family : {AF_INET, AF_INET6}) {
    if (inet_pton(family, name.c_str(), &address) == 1) {
      return inet_ntop(family, &address, text.data(), text.size());
    }
  }
  return name;
}

}  // namespace

absl::StatusOr<ClientRule> ClientRule::Make(const std::vector<std::string>& names) {
  ClientRule rule;
  for (const std::string& name : names) {
    absl::string_view rest = name;
    if (absl::ConsumePrefix(&rest, "*.")) {
      rule.domains_.push_back(absl::StrCat(".", rest));
    } else if (absl::StrContains(rest, ":") && absl::ConsumeSuffix(&rest, "/*")) {
      rule.prefixes_.push_back(absl::StrCat(rest, "/"));
    } else {
      rule.names_.push_back(Canonical(name));
    }
    if (rest.empty() || absl::StrContains(rest, "*")) {
      return codec::InvalidField(
          "tls-allow", absl::StrCat("\"", name, "\""),
          "a DNS name, URI, IP address or e-mail address, *.DOMAIN or a URI that ends in /*");
    }
  }
  return rule;
}

bool ClientRule::Allows(Kind kind, absl::string_view name) const {
  const bool ignore_case = kind == Kind::kDns;
  const auto is_name = [&](const std::string& allowed) {
    return ignore_case ? absl::EqualsIgnoreCase(allowed, name) : allowed == name;
  };
  if (std::any_of(names_.begin(), names_.end(), is_name)) return true;
  switch (kind) {
    case Kind::kDns: {
      const size_t dot = name.find('.');
      if (dot == 0 || dot == absl::string_view::npos) return false;
      return std::any_of(domains_.begin(), domains_.end(), [&](const std::string& domain) {
        return absl::EqualsIgnoreCase(domain, name.substr(dot));
      });
    }
    case Kind::kUri:
      return std::any_of(prefixes_.begin(), prefixes_.end(), [&](const std::string& prefix) {
        return name.size() > prefix.size() && absl::StartsWith(name, prefix);
      });
    case Kind::kAddress:
    case Kind::kEmail:
      return false;
  }
  return false;
}

absl::Status ClientRule::Check(const grpc::ServerContext& context) const {
  if (empty() || !IsOverTcp(context)) return absl::OkStatus();
  struct Property {
    Kind kind;
    const char* name;
  };
  constexpr std::array<Property, 4> kProperties = {{{Kind::kDns, GRPC_PEER_DNS_PROPERTY_NAME},
                                                    {Kind::kUri, GRPC_PEER_URI_PROPERTY_NAME},
                                                    {Kind::kAddress, GRPC_PEER_IP_PROPERTY_NAME},
                                                    {Kind::kEmail, GRPC_PEER_EMAIL_PROPERTY_NAME}}};
  const std::shared_ptr<const grpc::AuthContext> authentication = context.auth_context();
  std::vector<std::string> shown;
  for (const Property& property : kProperties) {
    for (const grpc::string_ref& value : authentication->FindPropertyValues(property.name)) {
      const absl::string_view name(value.data(), value.size());
      if (Allows(property.kind, name)) return absl::OkStatus();
      if (shown.size() < kMaxToldNames) {
        shown.push_back(absl::CHexEscape(name.substr(0, kMaxToldBytes)));
      }
    }
  }
  return codec::FieldError(
      absl::StatusCode::kPermissionDenied, "client certificate",
      shown.empty() ? "no subject alternative name"
                    : absl::StrCat("subject alternative name ", absl::StrJoin(shown, ", ")),
      "one that this server allows");
}

}  // namespace parity::rpc
