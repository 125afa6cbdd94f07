// Certificates made by openssl(1), in a directory of their own.
#ifndef PARITY_TESTS_CLIENT_CERTIFICATES_H_
#define PARITY_TESTS_CLIENT_CERTIFICATES_H_

#include <string>

#include "parity/client/tls_options.h"
#include "parity/rpc/tls_files.h"

namespace parity::testing {

// PEM files: NAME.crt and NAME.key.
class TestCertificates {
 public:
  TestCertificates();
  ~TestCertificates();
  TestCertificates(const TestCertificates&) = delete;
  TestCertificates& operator=(const TestCertificates&) = delete;

  std::string certificate(const std::string& name) const { return Path(name, ".crt"); }
  std::string key(const std::string& name) const { return Path(name, ".key"); }

  void MakeAuthority(const std::string& name) const;
  // Signed by `authority`; `names` as subjectAltName has them. It ends after so many days, which
  // may be less than 0.
  void Make(const std::string& name, const std::string& authority,
            const std::string& names = "IP:127.0.0.1", int days = 2) const;
  // `name` becomes what `other` is.
  void Replace(const std::string& name, const std::string& other) const;

  rpc::TlsFiles Server(const std::string& name, const std::string& client_ca = "") const;
  // Shows the certificate `name`, if any.
  client::TlsOptions Client(const std::string& authority, const std::string& name = "") const;

 private:
  std::string Path(const std::string& name, const char* suffix) const {
    return directory_ + "/" + name + suffix;
  }

  std::string directory_;
};

}  // namespace parity::testing

#endif  // PARITY_TESTS_CLIENT_CERTIFICATES_H_
