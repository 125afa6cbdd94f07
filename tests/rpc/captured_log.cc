#include "captured_log.h"

#include <algorithm>
#include <vector>

#include "absl/time/clock.h"
#include "parity/log/log.h"
#include "spdlog/spdlog.h"

namespace parity::testing {

CapturedLog::CapturedLog()
    : sink_(std::make_shared<LineSink>()), before_(spdlog::default_logger()) {
  sink_->set_formatter(log::MakeFormatter(log::Format::kText));
  auto logger = std::make_shared<spdlog::logger>("captured", sink_);
  logger->set_level(spdlog::level::debug);
  spdlog::set_default_logger(logger);
}

CapturedLog::~CapturedLog() { spdlog::set_default_logger(before_); }

int CapturedLog::Count(const std::string& text) const {
  const std::vector<std::string> lines = sink_->lines();
  return static_cast<int>(std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find(text) != std::string::npos;
  }));
}

bool CapturedLog::Await(const std::string& text) const {
  const absl::Time deadline = absl::Now() + absl::Seconds(20);
  while (Count(text) == 0) {
    if (absl::Now() > deadline) return false;
    absl::SleepFor(absl::Milliseconds(5));
  }
  return true;
}

}  // namespace parity::testing
