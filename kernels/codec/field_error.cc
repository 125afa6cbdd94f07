#include "parity/codec/field_error.h"

#include "absl/strings/cord.h"

namespace parity::codec {
namespace {

constexpr char kFieldPayload[] = "parityd/field";

}  // namespace

absl::Status FieldError(absl::StatusCode code, std::string_view field, std::string_view got,
                        std::string_view want) {
  absl::Status status(code, absl::StrCat(std::string(field), ": got ", std::string(got), ", want ",
                                         std::string(want)));
  AttachField(status, field);
  return status;
}

void AttachField(absl::Status& status, std::string_view field) {
  status.SetPayload(kFieldPayload, absl::Cord(std::string(field)));
}

std::optional<std::string> FieldOf(const absl::Status& status) {
  const absl::optional<absl::Cord> field = status.GetPayload(kFieldPayload);
  if (!field.has_value()) return std::nullopt;
  return std::string(*field);
}

}  // namespace parity::codec
