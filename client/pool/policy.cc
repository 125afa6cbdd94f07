#include <string_view>

#include "parity/client/client.h"
#include "parity/codec/field_error.h"

namespace parity::client {

std::string_view NameOf(Policy policy) {
  switch (policy) {
    case Policy::kRemoteOnly:
      return "remote-only";
    case Policy::kPreferRemote:
      return "prefer-remote";
    case Policy::kPreferLocal:
      return "prefer-local";
    case Policy::kFastest:
      return "fastest";
  }
  return "";
}

absl::StatusOr<Policy> PolicyFromName(std::string_view name) {
  for (const Policy policy :
       {Policy::kRemoteOnly, Policy::kPreferRemote, Policy::kPreferLocal, Policy::kFastest}) {
    if (name == NameOf(policy)) return policy;
  }
  return codec::InvalidField("policy", name, "remote-only, prefer-remote, prefer-local or fastest");
}

}  // namespace parity::client
