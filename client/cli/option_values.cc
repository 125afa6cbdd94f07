#include "option_values.h"

#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "parity/codec/field_error.h"

namespace parity::cli {

CLI::Option* AddChoice(CLI::App& command, const std::string& name, std::string& value,
                       const std::vector<std::string>& words, const std::string& description) {
  return command.add_option(name, value, description)
      ->check(CLI::IsMember(words).description(""))
      ->type_name(absl::StrJoin(words, "|"));
}

absl::Status NameOption(const absl::Status& error, const std::vector<OptionOfField>& names) {
  const std::optional<std::string> field = codec::FieldOf(error);
  for (const OptionOfField& name : names) {
    const absl::string_view message = error.message();
    const bool is_named =
        field ? *field == name.field : absl::StartsWith(message, absl::StrCat(name.field, ": "));
    if (!is_named) continue;
    const size_t got = message.find(": got ");
    return absl::Status(error.code(), got == absl::string_view::npos
                                          ? absl::StrCat(name.option, ": ", message)
                                          : absl::StrCat(name.option, message.substr(got)));
  }
  return error;
}

}  // namespace parity::cli
