// What parityd says of itself: lines of text, or JSON objects, on standard error.
//
// Key decision: everything goes through spdlog's default logger. Fields beside the message travel
// to the formatter with the thread that logs, so the logger must be a synchronous one.
#ifndef PARITY_LOG_LOG_H_
#define PARITY_LOG_LOG_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spdlog/common.h"
#include "spdlog/formatter.h"

namespace parity::log {

enum class Format { kText, kJson };

// A line says it as NAME="VALUE", an object as a member with this name. Empty values are left out.
struct Field {
  const char* name;
  std::string value;
};

// From now on the process logs to standard error in this format, from this level on. Call it while
// nothing else logs.
void Start(Format format, spdlog::level::level_enum level);

// Logs to the default logger; thread-safe.
void Write(spdlog::level::level_enum level, absl::string_view message,
           const std::vector<Field>& fields);

// For a sink of one's own. Whatever the message and the fields hold, a line stays one line without
// control characters, and an object is valid JSON in UTF-8: {"time": RFC 3339 with milliseconds in
// UTC, "level": as --log-level has it, "message", then the fields}. What is not UTF-8 becomes
// U+FFFD there and '?' in text.
std::unique_ptr<spdlog::formatter> MakeFormatter(Format format);

}  // namespace parity::log

#endif  // PARITY_LOG_LOG_H_
