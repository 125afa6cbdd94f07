// A parityd of its own process, on a Unix socket.
#ifndef PARITY_TESTS_CAPI_PARITYD_PROCESS_H_
#define PARITY_TESTS_CAPI_PARITYD_PROCESS_H_

#include <sys/types.h>

#include <string>

namespace parity::capi {

class ParitydProcess {
 public:
  // Returns when it serves. Fails the test if it does not.
  ParitydProcess();
  ~ParitydProcess();
  ParitydProcess(const ParitydProcess&) = delete;
  ParitydProcess& operator=(const ParitydProcess&) = delete;

  std::string target() const { return "unix:" + directory_ + "/parityd.sock"; }

  // From then on it answers nothing.
  void Freeze();
  // At once, and waits for its end.
  void Kill();

 private:
  std::string directory_;
  pid_t process_ = -1;
};

}  // namespace parity::capi

#endif  // PARITY_TESTS_CAPI_PARITYD_PROCESS_H_
