// Server credentials from files that are watched.
#ifndef PARITY_RPC_TLS_H_
#define PARITY_RPC_TLS_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "grpcpp/security/server_credentials.h"
#include "parity/rpc/tls_files.h"
#include "parity/stats/snapshot.h"

namespace parity::rpc {

// TLS 1.2 or 1.3. Errors are those of CheckTlsFiles. A file is read again when it has changed; what
// it then holds is gRPC's to judge: handshakes fail while key and certificate do not match.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> LoadTls(const TlsFiles& files);

// When the certificates in the files end, the earliest of each: "server" and, if there is one,
// "client_ca". Leaves out a file that cannot be read now. Cost: reads the files.
std::vector<stats::Certificate> CertificatesOf(const TlsFiles& files);

}  // namespace parity::rpc

#endif  // PARITY_RPC_TLS_H_
