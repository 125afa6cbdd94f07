// Errors that name the field at fault, the value got and the value wanted.
//
// Key decision: the field travels as a payload of the absl::Status, so that any layer can build
// such an error and only the outermost one turns it into a google.rpc.BadRequest.
#ifndef PARITY_CODEC_FIELD_ERROR_H_
#define PARITY_CODEC_FIELD_ERROR_H_

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace parity::codec {

// `code` with the message "<field>: got <got>, want <want>" and the field attached.
absl::Status FieldError(absl::StatusCode code, std::string_view field, std::string_view got,
                        std::string_view want);

// The usual case: INVALID_ARGUMENT, with `got` as it is if it is text, else as by absl::StrCat.
template <class Got>
absl::Status InvalidField(std::string_view field, const Got& got, std::string_view want) {
  if constexpr (std::is_convertible_v<const Got&, std::string_view>) {
    return FieldError(absl::StatusCode::kInvalidArgument, field, got, want);
  } else {
    return FieldError(absl::StatusCode::kInvalidArgument, field, absl::StrCat(got), want);
  }
}

// Makes `field` the one that `status` names, leaving its message as it is.
// REQUIRES: !status.ok().
void AttachField(absl::Status& status, std::string_view field);

// The field that a status names.
std::optional<std::string> FieldOf(const absl::Status& status);

}  // namespace parity::codec

#endif  // PARITY_CODEC_FIELD_ERROR_H_
