#include "certificates.h"

#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "absl/strings/str_cat.h"

namespace parity::testing {
namespace {

void Run(const std::string& command) {
  if (std::system((command + " 2>/dev/null").c_str()) != 0) throw std::runtime_error(command);
}

}  // namespace

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Certificates::Certificates() {
  char name[] = "/tmp/parity-tls-test.XXXXXX";
  directory_ = mkdtemp(name);
}

Certificates::~Certificates() { std::filesystem::remove_all(directory_); }

std::string Certificates::certificate(const std::string& name) const {
  return absl::StrCat(directory_, "/", name, ".crt");
}

std::string Certificates::key(const std::string& name) const {
  return absl::StrCat(directory_, "/", name, ".key");
}

void Certificates::MakeAuthority(const std::string& name) const {
  Run(absl::StrCat("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 ",
                   "-subj /CN=", name, " -keyout ", key(name), " -out ", certificate(name)));
}

void Certificates::Make(const std::string& name, const std::string& authority,
                        const std::string& alternative_names) const {
  const std::string request = absl::StrCat(directory_, "/request");
  const std::string extensions = absl::StrCat(directory_, "/extensions");
  std::ofstream(extensions) << (alternative_names.empty()
                                    ? "basicConstraints=CA:FALSE\n"
                                    : "subjectAltName=" + alternative_names + "\n");
  Run(absl::StrCat("openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=",
                   name, " -keyout ", key(name), " -out ", request));
  Run(absl::StrCat("openssl x509 -req -days 2 -in ", request, " -CA ", certificate(authority),
                   " -CAkey ", key(authority), " -CAcreateserial -extfile ", extensions, " -out ",
                   certificate(name)));
}

void Certificates::Replace(const std::string& name, const std::string& other) const {
  std::filesystem::rename(key(other), key(name));
  std::filesystem::rename(certificate(other), certificate(name));
}

}  // namespace parity::testing
