#include "tls.h"

#include <sys/stat.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client_rule.h"
#include "grpcpp/security/tls_certificate_provider.h"
#include "grpcpp/security/tls_credentials_options.h"

namespace parity::rpc {
namespace {

absl::Status Bad(absl::string_view option, const std::string& path, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(option, ": ", path, ": ", why));
}

// OpenSSL's reason, after a call that failed: the first, of which later ones are consequences.
std::string Reason() {
  const char* reason = ERR_reason_error_string(ERR_peek_error());
  return reason == nullptr ? "not accepted by OpenSSL" : reason;
}

absl::Status CheckReadable(absl::string_view option, const std::string& path) {
  if (path.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(option, ": got none, want a PEM file"));
  }
  struct stat file_status;
  if (stat(path.c_str(), &file_status) == 0 && !S_ISREG(file_status.st_mode)) {
    return Bad(option, path, "not a regular file");  // opening a FIFO would wait
  }
  std::FILE* file = std::fopen(path.c_str(), "re");
  const bool readable = file != nullptr && (std::fgetc(file) != EOF || std::ferror(file) == 0);
  const int error = errno;
  if (file != nullptr) std::fclose(file);
  if (readable) return absl::OkStatus();
  return absl::ErrnoToStatus(error, absl::StrCat(option, ": ", path));
}

// When the first of the certificates in a PEM file ends, in seconds since 1970.
std::optional<double> EarliestEnd(const std::string& path) {
  std::optional<double> earliest;
  if (path.empty()) return earliest;
  const std::unique_ptr<BIO, decltype(&BIO_free)> file(BIO_new_file(path.c_str(), "r"), &BIO_free);
  while (file != nullptr) {
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(
        PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr), &X509_free);
    std::tm end{};
    if (certificate == nullptr ||
        ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &end) != 1) {
      break;
    }
    const auto seconds = static_cast<double>(timegm(&end));
    earliest = std::min(earliest.value_or(seconds), seconds);
  }
  ERR_clear_error();  // the end of the file is one
  return earliest;
}

}  // namespace

// What gRPC would only log, at the first connection.
absl::Status CheckTlsFiles(const TlsFiles& files) {
  absl::Status status = CheckReadable("tls-certificate", files.certificate_chain);
  status.Update(CheckReadable("tls-key", files.private_key));
  if (!files.client_ca.empty()) status.Update(CheckReadable("tls-client-ca", files.client_ca));
  if (!status.ok()) return absl::InvalidArgumentError(status.message());

  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_server_method()),
                                                                  &SSL_CTX_free);
  if (context == nullptr) return absl::InternalError("OpenSSL does not start");
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(context.get(), files.certificate_chain.c_str()) != 1) {
    return Bad("tls-certificate", files.certificate_chain, Reason());
  }
  // Compares the key with the certificate, too.
  if (SSL_CTX_use_PrivateKey_file(context.get(), files.private_key.c_str(), SSL_FILETYPE_PEM) !=
      1) {
    return Bad("tls-key", files.private_key, Reason());
  }
  if (SSL_CTX_check_private_key(context.get()) != 1) {
    return Bad("tls-key", files.private_key,
               absl::StrCat("not the key of ", files.certificate_chain, ": ", Reason()));
  }
  if (!files.client_ca.empty() &&
      SSL_CTX_load_verify_locations(context.get(), files.client_ca.c_str(), nullptr) != 1) {
    return Bad("tls-client-ca", files.client_ca, Reason());
  }
  return ClientRule::Make(files.allowed_clients).status();
}

std::vector<stats::Certificate> CertificatesOf(const TlsFiles& files) {
  std::vector<stats::Certificate> certificates;
  for (const auto& [role, path] :
       {std::pair<const char*, const std::string&>("server", files.certificate_chain),
        {"client_ca", files.client_ca}}) {
    if (const std::optional<double> end = EarliestEnd(path)) certificates.push_back({role, *end});
  }
  return certificates;
}

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> LoadTls(const TlsFiles& files) {
  if (absl::Status status = CheckTlsFiles(files); !status.ok()) return status;
  const auto interval = static_cast<unsigned>(
      std::clamp<int64_t>(absl::ToInt64Seconds(files.reload_interval), 1, 86'400));
  const auto provider = std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
      files.private_key, files.certificate_chain, files.client_ca, interval);
  grpc::experimental::TlsServerCredentialsOptions options(provider);
  options.watch_identity_key_cert_pairs();
  if (!files.client_ca.empty()) {
    options.watch_root_certs();
    options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  std::shared_ptr<grpc::ServerCredentials> credentials =
      grpc::experimental::TlsServerCredentials(options);
  if (credentials == nullptr) return absl::InternalError("gRPC made no TLS credentials");
  return credentials;
}

}  // namespace parity::rpc
