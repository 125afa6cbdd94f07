// Reads the golden files; README.md describes their lines.
//
// Key decision: the reader is strict. A line that is not as described, or a file that was cut
// short, is an error: a case left out silently would be a test that passes.
#ifndef PARITY_TESTS_GOLDEN_GOLDEN_FILE_H_
#define PARITY_TESTS_GOLDEN_GOLDEN_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace parity::codec {

// One stripe whose parity another implementation computed.
struct GoldenCase {
  std::string title;  // its first line, as it stands in the file
  std::string code;
  std::string matrix;
  uint32_t k = 0;
  uint32_t m = 0;
  size_t shard_bytes = 0;
  std::vector<uint8_t> matrix_rows;          // m rows of k factors if the matrix is "custom"
  std::vector<std::vector<uint8_t>> parity;  // m of shard_bytes
};

// All cases of a file's text, at least one. INVALID_ARGUMENT naming the line that is at fault.
absl::StatusOr<std::vector<GoldenCase>> ParseGoldenFile(absl::string_view text);

// NOT_FOUND if there is no such file.
absl::StatusOr<std::vector<GoldenCase>> ReadGoldenFile(const std::string& path);

}  // namespace parity::codec

#endif  // PARITY_TESTS_GOLDEN_GOLDEN_FILE_H_
