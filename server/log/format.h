// Text of unknown origin, made fit for a line or for JSON.
#ifndef PARITY_LOG_FORMAT_H_
#define PARITY_LOG_FORMAT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace parity::log {

// Appends it with '?' for every control character and every byte that is not part of UTF-8.
void AppendLine(absl::string_view text, std::string& to);

// The same in quotes, with a backslash before quotes and backslashes.
void AppendQuoted(absl::string_view text, std::string& to);

// Appends it as a JSON string, quotes included.
void AppendJson(absl::string_view text, std::string& to);

}  // namespace parity::log

#endif  // PARITY_LOG_FORMAT_H_
