// Where the server's TLS certificate comes from.
#ifndef PARITY_RPC_TLS_FILES_H_
#define PARITY_RPC_TLS_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace parity::rpc {

// PEM files. Each is read again when it has changed, so that a certificate can be renewed while the
// server runs; connections that are open stay as they are. Replace certificate and key together (by
// a symbolic link to their directory, as Kubernetes does): while they do not match, new connections
// are refused.
struct TlsFiles {
  std::string certificate_chain;  // the server's certificate first
  std::string private_key;        // of that certificate
  // The authorities whose certificates clients must show. Empty: clients show none.
  std::string client_ca;
  // Of the clients that show a certificate of client_ca, only those may call that have one of these
  // as a subject alternative name (DNS, URI, IP address or e-mail address; the common name does not
  // count): exactly, or "*.example.org" for one label before a domain, or "scheme://a/*" for the
  // beginning of a URI. grpc.health.v1 answers the others too. Empty: all of them.
  std::vector<std::string> allowed_clients;
  // How often the files are looked at. At least 1 s, in whole seconds.
  absl::Duration reload_interval = absl::Seconds(30);
};

// What a server would not start with. INVALID_ARGUMENT naming the option's file and what is wrong
// with it: missing, not readable, not PEM, or a key that is not the certificate's.
absl::Status CheckTlsFiles(const TlsFiles& files);

}  // namespace parity::rpc

#endif  // PARITY_RPC_TLS_FILES_H_
