#include "boundary.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "parity/codec/field_error.h"

namespace parity::capi {
namespace {

template <size_t kBytes>
void CopyText(std::string_view text, char (&into)[kBytes]) noexcept {
  size_t bytes = std::min(text.size(), kBytes - 1);
  if (bytes < text.size()) {
    // Not in the middle of a character of UTF-8.
    while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
  }
  std::copy_n(text.data(), bytes, into);
  into[bytes] = '\0';
}

}  // namespace

absl::Status NullArgument(std::string_view name) {
  return codec::InvalidField(name, "NULL", "a pointer");
}

parity_status Report(const absl::Status& status, parity_error* error) {
  const auto number = static_cast<parity_status>(status.code());
  if (error == nullptr) return number;
  const std::string field = codec::FieldOf(status).value_or("");
  Report(number, {status.message().data(), status.message().size()}, error);
  CopyText(field, error->field);
  return number;
}

parity_status Report(parity_status status, std::string_view message, parity_error* error) noexcept {
  if (error == nullptr) return status;
  CopyText("", error->field);
  CopyText(message, error->message);
  return status;
}

}  // namespace parity::capi
