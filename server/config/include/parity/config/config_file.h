// A file of options, one a line.
#ifndef PARITY_CONFIG_CONFIG_FILE_H_
#define PARITY_CONFIG_CONFIG_FILE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace parity::config {

// The longest file that is read.
inline constexpr size_t kMaxFileBytes = size_t{1} << 20;

// A line `key = value`.
struct Entry {
  std::string place;  // "FILE:LINE"
  std::string key;
  std::string value;  // without the blanks around it
};

// Reads `text`: lines `key = value`, comments from `#` at the beginning of a line, blank lines. A
// byte order mark and carriage returns before line ends are skipped. INVALID_ARGUMENT naming the
// place for any other line, for a key that comes twice, an empty value, or a control character.
// `path` is what the file is called in errors.
absl::StatusOr<std::vector<Entry>> ParseConfig(const std::string& path, const std::string& text);

// Reads the file. INVALID_ARGUMENT also if it is longer than kMaxFileBytes, is not a regular file
// or cannot be read.
absl::StatusOr<std::vector<Entry>> ReadConfigFile(const std::string& path);

}  // namespace parity::config

#endif  // PARITY_CONFIG_CONFIG_FILE_H_
