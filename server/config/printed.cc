#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "parity/config/settings.h"

namespace parity::config {
namespace {

constexpr size_t kColumns = 98;  // and "# " before them

// Lines of comments.
std::string Commented(const std::string& text) {
  std::string lines;
  std::string line;
  for (const absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    if (!line.empty() && line.size() + 1 + word.size() > kColumns) {
      absl::StrAppend(&lines, "# ", line, "\n");
      line.clear();
    }
    absl::StrAppend(&line, line.empty() ? "" : " ", word);
  }
  absl::StrAppend(&lines, "# ", line, "\n");
  return lines;
}

}  // namespace

std::string PrintedConfig(const CLI::App& app, const std::map<std::string, std::string>& origins) {
  std::string printed;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_configurable()) continue;
    const std::string& name = option->get_lnames().front();
    if (!printed.empty()) printed += "\n";
    printed += Commented(option->get_description());
    const auto origin = origins.find(name);
    if (origin == origins.end()) {
      const std::string value = option->get_default_str();
      absl::StrAppend(&printed, "#", name, " =", value.empty() ? "" : " ", value, "\n");
      continue;
    }
    absl::StrAppend(&printed, "# From ", origin->second, ".\n", name, " = ",
                    absl::StrJoin(option->results(), ", "), "\n");
  }
  return printed;
}

}  // namespace parity::config
