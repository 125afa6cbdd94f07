// Which clients may call, by the names in their certificates.
#ifndef PARITY_RPC_CLIENT_RULE_H_
#define PARITY_RPC_CLIENT_RULE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "grpcpp/server_context.h"

namespace parity::rpc {

// Thread-safe.
class ClientRule {
 public:
  // `names` as TlsFiles::allowed_clients has them; none: every client may call. INVALID_ARGUMENT,
  // naming "tls-allow", for one that cannot be the name of anybody.
  static absl::StatusOr<ClientRule> Make(const std::vector<std::string>& names);

  bool empty() const { return names_.empty() && domains_.empty() && prefixes_.empty(); }

  // PERMISSION_DENIED unless one of the subject alternative names of the caller's certificate is
  // allowed; it says what was shown, not what is wanted. OK on a Unix socket.
  absl::Status Check(const grpc::ServerContext& context) const;

 private:
  enum class Kind { kDns, kUri, kAddress, kEmail };

  bool Allows(Kind kind, absl::string_view name) const;

  std::vector<std::string> names_;
  std::vector<std::string> domains_;   // of "*.example.org": ".example.org"
  std::vector<std::string> prefixes_;  // of "scheme://a/*": "scheme://a/"
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_CLIENT_RULE_H_
