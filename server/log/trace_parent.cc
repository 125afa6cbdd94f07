#include "parity/log/trace_parent.h"

#include <algorithm>

namespace parity::log {
namespace {

constexpr size_t kVersionDigits = 2;
constexpr size_t kTraceDigits = 32;
constexpr size_t kParentDigits = 16;
constexpr size_t kFlagDigits = 2;
constexpr size_t kBytes = kVersionDigits + 1 + kTraceDigits + 1 + kParentDigits + 1 + kFlagDigits;
// Of later versions, so that nobody has megabytes sent back.
constexpr size_t kMaxBytes = 256;

bool IsDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// Takes so many digits off the front; empty if they are not there.
absl::string_view TakeDigits(absl::string_view& text, size_t count) {
  const absl::string_view digits = text.substr(0, count);
  if (digits.size() < count || !std::all_of(digits.begin(), digits.end(), IsDigit)) return {};
  text.remove_prefix(count);
  return digits;
}

bool TakeDash(absl::string_view& text) {
  if (text.empty() || text.front() != '-') return false;
  text.remove_prefix(1);
  return true;
}

bool IsZero(absl::string_view digits) {
  return digits.find_first_not_of('0') == absl::string_view::npos;
}

}  // namespace

absl::string_view TraceIdOf(absl::string_view traceparent) {
  if (traceparent.size() < kBytes || traceparent.size() > kMaxBytes) return {};
  absl::string_view rest = traceparent;
  const absl::string_view version = TakeDigits(rest, kVersionDigits);
  if (version.empty() || version == "ff" || !TakeDash(rest)) return {};
  const absl::string_view trace = TakeDigits(rest, kTraceDigits);
  if (IsZero(trace) || !TakeDash(rest)) return {};
  const absl::string_view parent = TakeDigits(rest, kParentDigits);
  if (IsZero(parent) || !TakeDash(rest)) return {};
  if (TakeDigits(rest, kFlagDigits).empty()) return {};
  const bool ends_well = version == "00" ? rest.empty() : rest.empty() || rest.front() == '-';
  return ends_well ? trace : absl::string_view();
}

}  // namespace parity::log
