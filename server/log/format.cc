#include "format.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace parity::log {
namespace {

constexpr char32_t kNotUtf8 = 0xffffffff;

struct Character {
  char32_t code;  // or kNotUtf8: one byte
  size_t bytes;
};

// The first character of a text that is not empty (Unicode 15, table 3-7: no overlong forms, no
// surrogates).
Character First(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {kNotUtf8, 1};
  char32_t code = lead & (0x7fU >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {kNotUtf8, 1};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[bytes] || code > 0x10ffff || surrogate) return {kNotUtf8, 1};
  return {code, bytes};
}

// C0, DEL and C1, which terminals obey too, and the separators that some readers end a line at.
bool IsControl(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029;
}

}  // namespace

void AppendLine(absl::string_view text, std::string& to) {
  while (!text.empty()) {
    const Character first = First(text);
    if (first.code == kNotUtf8 || IsControl(first.code)) {
      to += '?';
    } else {
      to.append(text.data(), first.bytes);
    }
    text.remove_prefix(first.bytes);
  }
}

void AppendQuoted(absl::string_view text, std::string& to) {
  AppendLine(absl::StrCat("\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\""),
             to);
}

void AppendJson(absl::string_view text, std::string& to) {
  to += '"';
  while (!text.empty()) {
    const Character first = First(text);
    if (first.code == kNotUtf8) {
      to += "\\ufffd";
    } else if (first.code == '"' || first.code == '\\') {
      to += '\\';
      to += text.front();
    } else if (IsControl(first.code)) {
      absl::StrAppendFormat(&to, "\\u%04x", static_cast<uint32_t>(first.code));
    } else {
      to.append(text.data(), first.bytes);
    }
    text.remove_prefix(first.bytes);
  }
  to += '"';
}

}  // namespace parity::log
