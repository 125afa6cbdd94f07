#include "tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "parity/codec/field_error.h"

namespace parity::client {
namespace {

using codec::InvalidField;

constexpr std::string_view kCa = "tls_ca";
constexpr std::string_view kCertificate = "tls_certificate";
constexpr std::string_view kKey = "tls_key";

// More than any bundle of authorities has.
constexpr size_t kMostBytes = 16 << 20;

struct Pem {
  std::string ca;
  std::string certificate;
  std::string key;
};

// OpenSSL's reason, after a call that failed: the first, of which later ones are consequences.
std::string Reason() {
  const char* reason = ERR_reason_error_string(ERR_peek_error());
  return reason == nullptr ? "not accepted by OpenSSL" : reason;
}

absl::Status Bad(std::string_view field, const std::string& path, std::string_view why) {
  return InvalidField(field, absl::StrCat(path, ": ", std::string(why)), "a PEM file");
}

absl::StatusOr<std::string> Read(std::string_view field, const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return Bad(field, path, "not a regular file");  // opening a FIFO would wait
  }
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return Bad(field, path, std::strerror(errno));
  std::string contents;
  char block[4096];
  size_t bytes;
  while ((bytes = std::fread(block, 1, sizeof block, file)) > 0 && contents.size() < kMostBytes) {
    contents.append(block, bytes);
  }
  const int error = std::ferror(file) != 0 ? errno : 0;
  (void)std::fclose(file);
  if (error != 0) return Bad(field, path, std::strerror(error));
  return contents;
}

std::unique_ptr<BIO, decltype(&BIO_free)> Memory(const std::string& contents) {
  return {BIO_new_mem_buf(contents.data(), static_cast<int>(contents.size())), &BIO_free};
}

std::unique_ptr<X509, decltype(&X509_free)> FirstCertificate(const std::string& contents) {
  const auto memory = Memory(contents);
  return {PEM_read_bio_X509(memory.get(), nullptr, nullptr, nullptr), &X509_free};
}

// What gRPC would only log, at the first connection.
absl::Status Check(const TlsOptions& options, const Pem& pem) {
  ERR_clear_error();
  if (FirstCertificate(pem.ca) == nullptr) return Bad(kCa, options.ca_file, Reason());
  if (pem.certificate.empty()) return absl::OkStatus();
  const auto certificate = FirstCertificate(pem.certificate);
  if (certificate == nullptr) return Bad(kCertificate, options.certificate_file, Reason());
  const auto memory = Memory(pem.key);
  // Nobody is asked for a password.
  const auto no_password = [](char*, int, int, void*) { return 0; };
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      PEM_read_bio_PrivateKey(memory.get(), nullptr, no_password, nullptr), &EVP_PKEY_free);
  if (key == nullptr) return Bad(kKey, options.key_file, Reason());
  if (X509_check_private_key(certificate.get(), key.get()) == 1) return absl::OkStatus();
  return InvalidField(kKey, absl::StrCat(options.key_file, ": ", Reason()),
                      absl::StrCat("the key of ", options.certificate_file));
}

absl::Status CheckWhichAreGiven(const TlsOptions& options) {
  if (options.certificate_file.empty() != options.key_file.empty()) {
    return options.key_file.empty() ? InvalidField(kKey, "none", "one, as there is a certificate")
                                    : InvalidField(kCertificate, "none", "one, as there is a key");
  }
  const bool needs_ca = !options.certificate_file.empty() || !options.server_name.empty();
  if (needs_ca && !options.is_on()) {
    return InvalidField(kCa, "none", "one, as there are other options of TLS");
  }
  return absl::OkStatus();
}

absl::StatusOr<Pem> ReadAll(const TlsOptions& options) {
  Pem pem;
  const auto read = [](std::string_view field, const std::string& path, std::string& into) {
    if (path.empty()) return absl::OkStatus();
    absl::StatusOr<std::string> contents = Read(field, path);
    if (!contents.ok()) return contents.status();
    into = *std::move(contents);
    return absl::OkStatus();
  };
  absl::Status status = read(kCa, options.ca_file, pem.ca);
  status.Update(read(kCertificate, options.certificate_file, pem.certificate));
  status.Update(read(kKey, options.key_file, pem.key));
  if (status.ok()) status = Check(options, pem);
  if (!status.ok()) return status;
  return pem;
}

}  // namespace

absl::Status CheckTls(const TlsOptions& options) {
  if (absl::Status status = CheckWhichAreGiven(options); !status.ok()) return status;
  return options.is_on() ? ReadAll(options).status() : absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> LoadTls(const TlsOptions& options) {
  const absl::StatusOr<Pem> pem = ReadAll(options);
  if (!pem.ok()) return pem.status();
  return grpc::SslCredentials({pem->ca, pem->key, pem->certificate});
}

}  // namespace parity::client
