// The PEM files of a client.
#ifndef PARITY_CLIENT_TLS_H_
#define PARITY_CLIENT_TLS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "grpcpp/security/credentials.h"
#include "parity/client/tls_options.h"

namespace parity::client {

// What the files hold now. Errors as of CheckTls. REQUIRES: options.is_on().
absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> LoadTls(const TlsOptions& options);

}  // namespace parity::client

#endif  // PARITY_CLIENT_TLS_H_
