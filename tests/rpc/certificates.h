// Certificates for tests, made by openssl(1).
#ifndef PARITY_TESTS_RPC_CERTIFICATES_H_
#define PARITY_TESTS_RPC_CERTIFICATES_H_

#include <string>

namespace parity::testing {

std::string Contents(const std::string& path);

// A directory of PEM files: NAME.crt and NAME.key. What openssl refuses throws.
class Certificates {
 public:
  Certificates();
  ~Certificates();

  std::string certificate(const std::string& name) const;
  std::string key(const std::string& name) const;

  void MakeAuthority(const std::string& name) const;

  // Signed by `authority`, with these subject alternative names, as openssl has them; none if
  // empty.
  void Make(const std::string& name, const std::string& authority,
            const std::string& alternative_names = "IP:127.0.0.1") const;

  // `name` becomes what `other` is, each file at once.
  void Replace(const std::string& name, const std::string& other) const;

 private:
  std::string directory_;
};

}  // namespace parity::testing

#endif  // PARITY_TESTS_RPC_CERTIFICATES_H_
