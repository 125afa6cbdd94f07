#include "golden_file.h"

#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace parity::codec {
namespace {

using Words = std::vector<absl::string_view>;

constexpr uint32_t kMaxShards = 257;
constexpr uint32_t kMaxShardBytes = 65536;  // from where on the formula of the data would repeat

// A decimal number of 0 to `most`.
std::optional<uint32_t> Number(absl::string_view word, uint32_t most) {
  uint32_t number = 0;
  if (!absl::SimpleAtoi(word, &number) || number > most) return std::nullopt;
  return number;
}

// `count` bytes in lower-case hexadecimal.
std::optional<std::vector<uint8_t>> Hex(absl::string_view word, size_t count) {
  const absl::string_view digits = "0123456789abcdef";
  if (word.size() != 2 * count) return std::nullopt;
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < word.size(); i += 2) {
    const size_t high = digits.find(word[i]);
    const size_t low = digits.find(word[i + 1]);
    if (high == digits.npos || low == digits.npos) return std::nullopt;
    bytes.push_back(static_cast<uint8_t>(high << 4 | low));
  }
  return bytes;
}

// The lines of a text that are no comments, one by one.
class Lines {
 public:
  explicit Lines(absl::string_view text) : lines_(absl::StrSplit(text, '\n')) { SkipComments(); }

  bool AtEnd() const { return next_ == lines_.size(); }
  absl::string_view text() const { return AtEnd() ? "" : lines_[next_]; }
  Words words() const { return absl::StrSplit(text(), ' '); }
  void Advance() {
    ++next_;
    SkipComments();
  }
  absl::Status Error(absl::string_view want) const {
    const std::string place = AtEnd() ? "at the end" : absl::StrCat("line ", next_ + 1);
    return absl::InvalidArgumentError(
        absl::StrCat(place, ": got '", text().substr(0, 60), "', want ", want));
  }

 private:
  void SkipComments() {
    while (!AtEnd() && (lines_[next_].empty() || lines_[next_][0] == '#')) ++next_;
  }

  Words lines_;
  size_t next_ = 0;
};

// "<keyword> <shard> <hex of `count` bytes>".
absl::StatusOr<std::vector<uint8_t>> ReadBytes(Lines& lines, absl::string_view keyword,
                                               uint32_t shard, size_t count) {
  const Words words = lines.words();
  if (words.size() == 3 && words[0] == keyword && Number(words[1], kMaxShards) == shard) {
    if (auto bytes = Hex(words[2], count)) {
      lines.Advance();
      return *std::move(bytes);
    }
  }
  return lines.Error(absl::StrCat("'", keyword, " ", shard, " ' and ", count, " bytes in hex"));
}

absl::StatusOr<GoldenCase> ReadCase(Lines& lines) {
  const Words words = lines.words();
  GoldenCase golden;
  if (words.size() == 6 && words[0] == "case") {
    golden.k = Number(words[3], kMaxShards).value_or(0);
    golden.m = Number(words[4], kMaxShards).value_or(0);
    golden.shard_bytes = Number(words[5], kMaxShardBytes).value_or(0);
  }
  if (golden.k == 0 || golden.m == 0 || golden.k + golden.m > kMaxShards ||
      golden.shard_bytes == 0) {
    return lines.Error("'case CODE MATRIX K M SHARD_BYTES' or 'end CASES'");
  }
  golden.title = std::string(lines.text());
  golden.code = std::string(words[1]);
  golden.matrix = std::string(words[2]);
  lines.Advance();
  if (golden.matrix == "custom") {
    for (uint32_t r = 0; r < golden.m; ++r) {
      const auto row = ReadBytes(lines, "row", golden.k + r, golden.k);
      if (!row.ok()) return row.status();
      golden.matrix_rows.insert(golden.matrix_rows.end(), row->begin(), row->end());
    }
  }
  for (uint32_t r = 0; r < golden.m; ++r) {
    auto parity = ReadBytes(lines, "parity", golden.k + r, golden.shard_bytes);
    if (!parity.ok()) return parity.status();
    golden.parity.push_back(*std::move(parity));
  }
  return golden;
}

}  // namespace

absl::StatusOr<std::vector<GoldenCase>> ParseGoldenFile(absl::string_view text) {
  std::vector<GoldenCase> cases;
  Lines lines(text);
  while (lines.words()[0] != "end") {
    auto golden = ReadCase(lines);
    if (!golden.ok()) return golden.status();
    cases.push_back(*std::move(golden));
  }
  if (cases.empty()) return lines.Error("at least one case");
  if (lines.text() != absl::StrCat("end ", cases.size())) {
    return lines.Error(absl::StrCat("'end ", cases.size(), "'"));
  }
  lines.Advance();
  if (!lines.AtEnd()) return lines.Error("nothing after 'end'");
  return cases;
}

absl::StatusOr<std::vector<GoldenCase>> ReadGoldenFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(path);
  return ParseGoldenFile(
      std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()));
}

}  // namespace parity::codec
