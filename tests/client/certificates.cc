#include "certificates.h"

#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "absl/strings/str_cat.h"

namespace parity::testing {
namespace {

void Run(const std::string& command) {
  if (std::system((command + " 2>/dev/null").c_str()) != 0) throw std::runtime_error(command);
}

constexpr char kNewKey[] = "openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes ";

}  // namespace

TestCertificates::TestCertificates() {
  char name[] = "/tmp/parity-certificates.XXXXXX";
  directory_ = mkdtemp(name);
}

TestCertificates::~TestCertificates() { std::filesystem::remove_all(directory_); }

void TestCertificates::MakeAuthority(const std::string& name) const {
  Run(absl::StrCat(kNewKey, "-x509 -days 2 -subj /CN=", name, " -keyout ", key(name), " -out ",
                   certificate(name)));
}

void TestCertificates::Make(const std::string& name, const std::string& authority,
                            const std::string& names, int days) const {
  const std::string request = Path("request", "");
  const std::string extensions = Path("extensions", "");
  std::ofstream(extensions) << "subjectAltName=" << names << "\n";
  Run(absl::StrCat(kNewKey, "-subj /CN=", name, " -keyout ", key(name), " -out ", request));
  Run(absl::StrCat("openssl x509 -req -days ", days, " -in ", request, " -CA ",
                   certificate(authority), " -CAkey ", key(authority), " -CAcreateserial -extfile ",
                   extensions, " -out ", certificate(name)));
}

void TestCertificates::Replace(const std::string& name, const std::string& other) const {
  std::filesystem::rename(key(other), key(name));
  std::filesystem::rename(certificate(other), certificate(name));
}

rpc::TlsFiles TestCertificates::Server(const std::string& name,
                                       const std::string& client_ca) const {
  rpc::TlsFiles files;
  files.certificate_chain = certificate(name);
  files.private_key = key(name);
  if (!client_ca.empty()) files.client_ca = certificate(client_ca);
  files.reload_interval = absl::Seconds(1);
  return files;
}

client::TlsOptions TestCertificates::Client(const std::string& authority,
                                            const std::string& name) const {
  client::TlsOptions options;
  options.ca_file = certificate(authority);
  if (!name.empty()) {
    options.certificate_file = certificate(name);
    options.key_file = key(name);
  }
  return options;
}

}  // namespace parity::testing
