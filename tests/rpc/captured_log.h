// The log, for tests that expect something in it.
#ifndef PARITY_TESTS_RPC_CAPTURED_LOG_H_
#define PARITY_TESTS_RPC_CAPTURED_LOG_H_

#include <memory>
#include <string>

#include "log/line_sink.h"
#include "spdlog/logger.h"

namespace parity::testing {

// What is logged while it lives, from level debug on; what gRPC itself logs included.
class CapturedLog {
 public:
  CapturedLog();
  ~CapturedLog();

  // Lines that contain the text.
  int Count(const std::string& text) const;
  // Waits until there is such a line; false if there is none within 20 s.
  bool Await(const std::string& text) const;

 private:
  std::shared_ptr<LineSink> sink_;
  std::shared_ptr<spdlog::logger> before_;
};

}  // namespace parity::testing

#endif  // PARITY_TESTS_RPC_CAPTURED_LOG_H_
