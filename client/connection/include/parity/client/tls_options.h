// How TCP connections are encrypted.
#ifndef PARITY_CLIENT_TLS_OPTIONS_H_
#define PARITY_CLIENT_TLS_OPTIONS_H_

#include <string>

#include "absl/status/status.h"

namespace parity::client {

// PEM files, read again for every new connection: certificates can be renewed while the program
// runs; connections that are open stay as they are. Unix sockets are never encrypted.
struct TlsOptions {
  std::string ca_file;           // the authorities that servers are trusted by; empty: no TLS
  std::string certificate_file;  // what the client shows, its own certificate first; empty: nothing
  std::string key_file;          // of that certificate
  // The name that the server's certificate must be for. Empty: the host of the target.
  std::string server_name;

  bool is_on() const { return !ca_file.empty(); }
};

// INVALID_ARGUMENT naming "tls_ca", "tls_certificate" or "tls_key", the file and what is wrong with
// it: missing, not readable, not PEM, or a key that is not the certificate's. Reads the files.
absl::Status CheckTls(const TlsOptions& options);

}  // namespace parity::client

#endif  // PARITY_CLIENT_TLS_OPTIONS_H_
