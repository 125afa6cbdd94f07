// Keeps what is logged, line by line.
#ifndef PARITY_TESTS_LOG_LINE_SINK_H_
#define PARITY_TESTS_LOG_LINE_SINK_H_

#include <mutex>
#include <string>
#include <vector>

#include "spdlog/sinks/base_sink.h"

namespace parity::testing {

// Thread-safe. Lines are formatted when they are logged, as fields are then at hand.
class LineSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  std::vector<std::string> lines() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return lines_;
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    lines_.emplace_back(line.data(), line.size());
  }
  void flush_() override {}

  std::vector<std::string> lines_;
};

}  // namespace parity::testing

#endif  // PARITY_TESTS_LOG_LINE_SINK_H_
